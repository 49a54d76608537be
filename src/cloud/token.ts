import { createHash } from "node:crypto";
import { canonical } from "../core/compare.ts";
import { reveal } from "../core/secret.ts";

/** What makes one launch the same as another: a token made of it never makes a second thing. */
export interface TokenParts {
  /** `instance`, `volume`: things of different sorts never share a token. */
  readonly sort: string;
  /** Region or zone, and account or project where that is known. */
  readonly place: string;
  readonly name: string;
  /** All params of the launch. */
  readonly params: unknown;
  /** How many of the same name there were before and are no more: a cloud remembers the tokens of what is gone. */
  readonly generation: number;
}

/** A token that is the same whenever its parts are: 64 characters of hexadecimal, the most that EC2 takes. */
export function launchToken(parts: TokenParts): string {
  return digestOf(parts).toString("hex");
}

/** The same as a UUID (version 8 of RFC 9562: made by a way of one's own), the form Compute Engine asks for. */
export function launchUuid(parts: TokenParts): string {
  const bytes = digestOf(parts).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function digestOf(parts: TokenParts): Buffer {
  return createHash("sha256")
    .update(reveal(canonical(parts)))
    .digest();
}
