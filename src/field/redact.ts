import { isRecord } from "../core/facts/symbols.ts";
import { namesCredential } from "./credentials.ts";
import { entriesOf, lists, partNamed, type Schemas } from "./listed.ts";
import type { Pseudonyms } from "./names.ts";
import type { Texts } from "./texts.ts";
import { partNames } from "./words.ts";
import type { Json } from "./values.ts";

/** The replacement for one text in a report. */
type Rule = (text: string, redactor: Redactor) => string;

function words(text: string, { texts }: Redactor): string {
  return texts.text(text);
}
/** For a password or the like: keeps a state such as `locked`, but nothing that contains a digit. */
const digits: Rule = (text, { texts }) => (/\d/.test(text) ? texts.hidden(text) : texts.text(text));
const hidden: Rule = (text, { texts }) => texts.hidden(text);
const hash: Rule = (text, { names }) => (text === "" ? "" : names.hash(text, text.length >= 32 ? text.length : 64));
/** A version as package managers print it. Anything longer, or with other characters, is treated as ordinary text. */
const version: Rule = (text, { texts }) => (/^[\w.+~:-]{1,60}$/.test(text) ? text : texts.text(text));
/** For raw disk sectors, a report says only whether they are blank. */
const sectors: Rule = (text) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.every((byte) => byte === 0)) return text;
  return Buffer.concat([Buffer.from([0xff]), Buffer.alloc(Math.max(0, bytes.length - 1))]).toString("base64");
};

/**
 * Rules for parts of facts of all kinds, by the part's name. Strings without a rule are redacted word by word, see
 * {@link Texts}.
 */
const byName: Readonly<Record<string, Rule>> = {
  serial: hidden,
  id: hidden,
  label: hidden,
  comment: hidden,
  hostname: hidden,
  inode: hidden,
  invocation: hidden,
  seal: hash,
  passwordSeal: hash,
  sha256: hash,
  sha512: hash,
  sha384: hash,
  sha1: hash,
  md5: hash,
  loaded: hash,
  head: sectors,
  tail: sectors,
};

/** The code of an error, as Node and curl report it. */
const code: Rule = (text, { texts }) => (/^(?:[A-Z_]{3,40}|curl \d{1,3})$/.test(text) ? text : texts.text(text));

/** Rules for parts of facts of one kind, by the part's name; they take precedence over the general ones. */
const byKind: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  package: { version },
  packageOffer: { candidate: version, versions: version },
  host: { kernel: version, id: words },
  // The body of a response can contain anything. Lists of checksums are public, and the roles need them.
  http: { body: checksums, code },
  hostHttp: { body: checksums, code },
};

/** Files whose text the roles read line by line. For any other file, a report contains only a hash. */
const readable =
  /^\/(?:etc\/(?:fstab|nftables\.conf|furrow-maintenance|furrow-harvester\/[\w.-]+)|sys\/module\/kvm_\w+\/parameters\/nested)$/;

/** Kinds of facts that are left out of a report because they depend on file content that is also left out. */
export const leftOutKinds: ReadonlySet<string> = new Set(["acceptance"]);

/** Redacts the values of facts, so that a report can be shared. */
export class Redactor {
  readonly names: Pseudonyms;
  readonly texts: Texts;
  /** Names and values that were kept because the schema of the vars lists them. */
  readonly listed = new Set<string>();

  constructor(names: Pseudonyms, texts: Texts) {
    this.names = names;
    this.texts = texts;
  }

  /** A fact's id, redacted by the same rules as the values. */
  id(id: string): string {
    const at = id.indexOf(":");
    return `${id.slice(0, at)}:${this.texts.text(id.slice(at + 1))}`;
  }

  /** The value of a fact. */
  value(id: string, value: Json): Json {
    const at = id.indexOf(":");
    const kind = id.slice(0, at);
    const key = id.slice(at + 1);
    if (id === "file:/etc/machine-id" && isRecord(value) && typeof value["text"] === "string") {
      return { ...(this.#walk(kind, "", value) as object), text: `${this.names.hash(value["text"], 32)}\n` };
    }
    if (kind === "file" && hasText(value)) {
      const { text, ...rest } = value;
      // The simulation computes the hash of the text that the report contains.
      if (readable.test(key)) {
        const { sha256: _sha256, seal: _seal, size: _size, ...others } = rest;
        return { ...(this.#walk(kind, "", others) as object), text: this.texts.text(text) };
      }
      return this.#walk(kind, "", { ...rest, sha256: rest["sha256"] ?? text });
    }
    // The digests of released boot artifacts are public, and the roles compare them.
    if (kind === "digest" && key.startsWith("/srv/www/harvester/harvester-v")) return value;
    return this.#walk(kind, "", value);
  }

  /**
   * The value of a var, in which every string is redacted by the general rules. Names of parts and values that the
   * var's schema lists are the playbook's own, so they are kept: a replay must accept the var.
   */
  data(value: Json, schemas: Schemas = []): Json {
    return this.#walk("", "", value, schemas);
  }

  #walk(kind: string, name: string, value: Json, schemas: Schemas = []): Json {
    if (typeof value === "string" && lists(schemas, value)) return this.#kept(value);
    if (typeof value === "string") {
      return (byKind[kind]?.[name] ?? byName[name] ?? (namesCredential(name) ? digits : words))(value, this);
    }
    if (Array.isArray(value)) {
      const parts = value as readonly Json[];
      return parts.map((part, at) => {
        const before = parts[at - 1];
        // The argument that follows `--password`.
        const isNamed = typeof before === "string" && before.startsWith("-") && namesCredential(before);
        return this.#walk(kind, isNamed ? before : name, part, entriesOf(schemas));
      });
    }
    if (!isRecord(value)) return value;
    if (typeof value["symbol"] === "string" && Object.keys(value).length === 1) return value;
    const parts = Object.entries(value).map(([key, part]) => {
      const named = partNamed(schemas, key);
      if (named !== undefined) return [this.#kept(key), this.#walk(kind, key, part, named)];
      return [partNames.has(key) ? key : this.texts.text(key), this.#walk(kind, key, part, entriesOf(schemas))];
    });
    return Object.fromEntries(parts) as Json;
  }

  #kept(text: string): string {
    this.listed.add(text);
    return text;
  }
}

function hasText(value: Json): value is { readonly text: string; readonly [key: string]: Json } {
  return isRecord(value) && typeof value["text"] === "string";
}

/** The lines of a checksum list that name boot artifacts, unchanged; any other body is left out. */
function checksums(body: string): string {
  const lines = body.split("\n").filter((line) => /^(?:[\da-f]{2}){16,64} [ *](?:\.\/)?harvester-[\w.+-]+$/.test(line));
  return lines.map((line) => `${line}\n`).join("");
}
