import { createDecipheriv, createHash } from "node:crypto";
import { FurrowError } from "../../../core/errors.ts";
import { kindOf } from "../../../core/facts/kind.ts";
import { hide } from "../on-host/sent/hide.ts";
import { randomBytes } from "../../../core/world.ts";

/** The openssl call that encrypts its stdin with the key in `_fhk`, as in on-host/hide.sh. */
export const encipher = "openssl enc -aes-256-cbc -md sha256 -pass env:_fhk -a -A 2>/dev/null";

/**
 * Defines the shell function `_fhd NAMES`, which copies lines and encrypts those with these names (on-host/hide.sh).
 */
export const hideFunctions: string = hide;

/** A shell condition that is true if the host can encrypt. Each shell tests this once. */
export const canHide = `[ -n "\${_fho=$(printf x | _fhk=x ${encipher})}" ]`;

/** For a kind, the names of the lines that may contain secret text. A line has the same name as its facet. */
export function hiddenNames(kind: string): readonly string[] {
  return kindOf(kind).revealing ?? [];
}

/**
 * Decrypts the lines that a host has encrypted for one frame. Every openssl since 1.0 supports the cipher: AES-256 in
 * CBC mode, base64, with a key and an initialization vector derived from a random word and salt by SHA-256
 * (EVP_BytesToKey).
 */
export class HiddenLines {
  /** 64 hex digits. */
  readonly key: string = randomBytes(32).toString("hex");

  /** Turns a line `NAME=~CIPHER` into `NAME=VALUE`; returns any other line unchanged. Throws FurrowError E_FACT. */
  shown(line: string): string {
    const at = line.indexOf("=~");
    if (at < 0 || at !== line.indexOf("=")) return line;
    try {
      return `${line.slice(0, at)}=${this.#decipher(Buffer.from(line.slice(at + 2), "base64"))}`;
    } catch (error) {
      throw new FurrowError("E_FACT", {
        what: "the host could not encrypt the text of a secret file",
        hint: "Check that openssl works on the host",
        cause: error,
      });
    }
  }

  #decipher(data: Buffer): string {
    const salted = Buffer.concat([Buffer.from(this.key), data.subarray(8, 16)]);
    const key = createHash("sha256").update(salted).digest();
    const vector = createHash("sha256").update(key).update(salted).digest().subarray(0, 16);
    const decipher = createDecipheriv("aes-256-cbc", key, vector);
    return Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]).toString("latin1");
  }
}
