import { createHmac, randomBytes } from "node:crypto";

/**
 * Replacements for text that a report must not contain. The same text always gets the same replacement within one
 * report, so that paths, keys and addresses still match each other; another report gets different replacements. Hashes
 * are keyed with a random key that is never written down.
 */
export class Pseudonyms {
  readonly #key = randomBytes(32);
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** A replacement for a word: `name1`. */
  word(text: string): string {
    return this.#once(`word ${text}`, () => `name${this.#next("word")}`);
  }

  /** A replacement for a public IPv4 address, from the ranges for documentation (RFC 5737). */
  ipv4(text: string): string {
    return this.#once(`ip ${text}`, () => {
      const number = this.#next("ip");
      return `${number < 255 ? "203.0.113" : "198.51.100"}.${((number - 1) % 254) + 1}`;
    });
  }

  /** A replacement for an IPv6 address, from the range for documentation (RFC 3849). */
  ipv6(text: string): string {
    return this.#once(`ip6 ${text.toLowerCase()}`, () => `2001:db8::${this.#next("ip6").toString(16)}`);
  }

  /** A replacement for a MAC address, with the same separator. */
  mac(text: string): string {
    const separator = text.includes("-") ? "-" : ":";
    const bytes = text.toLowerCase().replaceAll("-", ":");
    const number = this.#once(`mac ${bytes}`, () => this.#next("mac").toString(16).padStart(6, "0"));
    return ["02", "00", "00", ...(number.match(/../g) ?? [])].join(separator);
  }

  /** A replacement for a UUID. */
  uuid(text: string): string {
    const hex = this.hash(text.toLowerCase(), 32);
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  /** A keyed hash with this number of hexadecimal digits. Without the key, guesses cannot be verified. */
  hash(text: string, digits = 64): string {
    let hex = "";
    for (let part = 0; hex.length < digits; part += 1) {
      hex += createHmac("sha256", this.#key).update(`${part} ${text}`).digest("hex");
    }
    return hex.slice(0, digits);
  }

  #once(id: string, make: () => string): string {
    const known = this.#known.get(id) ?? make();
    this.#known.set(id, known);
    return known;
  }

  #next(sort: string): number {
    const next = (this.#counts.get(sort) ?? 0) + 1;
    this.#counts.set(sort, next);
    return next;
  }
}
