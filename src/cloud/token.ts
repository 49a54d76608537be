import { createHash } from "node:crypto";
import { canonical } from "../core/facts/compare.ts";
import { reveal } from "../core/secrets/secret.ts";

/** The data that identifies a launch: two launches with the same token create only one resource. */
export interface TokenParts {
  /** The resource type, such as `instance` or `volume`: resources of different types never share a token. */
  readonly sort: string;
  /** The region or zone, and the account or project if known. */
  readonly place: string;
  readonly name: string;
  /** All params of the launch. */
  readonly params: unknown;
  /**
   * The number of earlier resources with the same name that have been deleted, because a cloud remembers the tokens of
   * deleted resources.
   */
  readonly generation: number;
}

/** A token that depends only on its parts: 64 hex characters, the most that EC2 accepts. */
export function launchToken(parts: TokenParts): string {
  return digestOf(parts).toString("hex");
}

/** The token as a UUID (version 8 of RFC 9562: custom), which is the format that Compute Engine requires. */
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
