import { createHash } from "node:crypto";
import { encodeText } from "./bytes.ts";
import { reveal } from "../secrets/secret.ts";

/** Hex SHA-256 of content as it is written to a host. */
export function contentHash(text: string): string {
  return createHash("sha256")
    .update(encodeText(reveal(text)))
    .digest("hex");
}
