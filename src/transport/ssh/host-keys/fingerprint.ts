import { createHash } from "node:crypto";

/** A key's fingerprint as OpenSSH prints it: `SHA256:` and unpadded base64. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replaceAll("=", "")}`;
}
