import { createHash } from "node:crypto";

/**
 * The namespace of all ids that furrow derives. It was chosen once at random and must never change, because ids on
 * disks depend on it.
 */
const namespace = Buffer.from("8f1c0a5be5df4d0ca5b36c1ad2b1f39e", "hex");

/**
 * Derives a UUID that is always the same for the same parts, in lower case with dashes (version 5 in RFC 9562: SHA-1 of
 * a namespace and a name). Boundaries between parts matter: `["ab", "c"]` and `["a", "bc"]` give different ids.
 */
export function derivedUuid(...parts: readonly string[]): string {
  const hash = createHash("sha1").update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
