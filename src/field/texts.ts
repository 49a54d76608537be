import type { Pseudonyms } from "./names.ts";
import { credential } from "./credentials.ts";
import { baseWords, deviceName } from "./words.ts";

/** MAC addresses that furrow's roles give to nodes. They are part of the roles, and reveal nothing about a host. */
const ownMac = /^52[:-]54[:-]00[:-]68[:-]76[:-][\da-f]{2}$/i;
/** Types of partitions in a GPT (UEFI, the discoverable partitions of systemd): the same on every disk. */
const partitionTypes = new Set([
  "0fc63daf-8483-4772-8e79-3d69d8477de4",
  "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
  "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f",
  "e6d6d379-f507-44c2-a23c-238f2a3df928",
  "4f68bce3-e8cd-4db1-96e7-fbcaf984b709",
  "21686148-6449-6e6f-744e-656564454649",
  "a19d880f-05fc-4d3b-a006-743f0f84911e",
  "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7",
]);
/** An address that the roles themselves contain, to test that a node cannot reach it. */
const ownAddresses = new Set(["1.1.1.1"]);

const uuid = String.raw`(?<![\da-zA-Z])[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}(?![\da-zA-Z])`;
const mac = String.raw`(?<![\da-zA-Z])[\da-fA-F]{2}(?:[:-][\da-fA-F]{2}){5}(?![\da-zA-Z])`;
const ipv4 = String.raw`(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)`;
const ipv6 = String.raw`(?<![\da-zA-Z:.])(?=[\da-fA-F:]*:[\da-fA-F:]*:)[\da-fA-F]{0,4}(?::[\da-fA-F]{0,4}){2,7}(?![\da-zA-Z:.])`;
const run = String.raw`[\p{L}\p{N}]+`;
const pattern = new RegExp(
  [
    `(?<secret>${credential})`,
    `(?<uuid>${uuid})`,
    `(?<mac>${mac})`,
    `(?<ipv4>${ipv4})`,
    `(?<ipv6>${ipv6})`,
    `(?<run>${run})`,
  ].join("|"),
  "gu",
);

/**
 * Hides every part of a string that is not known to be harmless: each run of letters and digits is kept only if it is
 * one of the known words, a small number, a version or a kernel device name. Everything else is replaced; the same text
 * is always replaced with the same word. Unknown text is therefore never shown (decision 035). Anything that follows
 * `password=` or a similar word is replaced, even if it is a known word.
 */
export class Texts {
  readonly #names: Pseudonyms;
  readonly #words: ReadonlySet<string>;
  readonly #hide: (text: string) => string;

  /**
   * @param words more words to keep, but never the user's own words (`except`); generally known words are always kept
   * @param hide replaces secrets in text before anything else is replaced
   */
  constructor(
    names: Pseudonyms,
    words: Iterable<string> = [],
    except: Iterable<string> = [],
    hide: (text: string) => string = (text) => text,
  ) {
    this.#names = names;
    this.#hide = hide;
    const own = new Set([...except].flatMap(wordsIn));
    const added = [...words].flatMap(wordsIn).filter((word) => !own.has(word));
    this.#words = new Set([...baseWords, ...added]);
  }

  /** The given text with all unknown words and addresses replaced. */
  text(given: string): string {
    return this.#hide(given).replaceAll(pattern, (found, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      if (groups["secret"] !== undefined) return this.#names.word(found);
      if (groups["uuid"] !== undefined) {
        return partitionTypes.has(found.toLowerCase()) ? found : this.#names.uuid(found);
      }
      if (groups["mac"] !== undefined) return ownMac.test(found) ? found : this.#names.mac(found);
      if (groups["ipv4"] !== undefined) return this.#ipv4(found);
      if (groups["ipv6"] !== undefined) return /^[:0]*:?1?$/.test(found) ? found : this.#names.ipv6(found);
      return this.#isKnown(found) ? found : this.#names.word(found);
    });
  }

  /** Replaces a whole string with one word, however harmless the string looks. */
  hidden(given: string): string {
    return given === "" ? "" : this.#names.word(given);
  }

  #isKnown(word: string): boolean {
    return /^\d{1,5}$/.test(word) || /^(?:v|rc)\d{1,3}$/.test(word) || this.#words.has(word) || deviceName.test(word);
  }

  #ipv4(text: string): string {
    const parts = text.split(".").map(Number);
    if (parts.some((part) => part > 255)) return parts.map((part) => (part > 255 ? "0" : String(part))).join(".");
    return isInternal(parts) || ownAddresses.has(text) ? text : this.#names.ipv4(text);
  }
}

/**
 * True for addresses that mean nothing outside one network: private, loopback, link-local and similar addresses (RFC
 * 6890).
 */
function isInternal([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    [0, 10, 127].includes(a) ||
    a >= 224 ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 192 && b === 0 && c === 2)
  );
}

/** The words in a string, as {@link Texts} distinguishes them. */
export function wordsIn(text: string): string[] {
  return text.match(new RegExp(run, "gu")) ?? [];
}
