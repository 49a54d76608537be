import { createHash } from "node:crypto";

const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/**
 * The SHA-256, in hex, of the certificate in a PEM text, as `openssl x509 -fingerprint -sha256` computes it. For
 * several certificates, it is the SHA-256 of their sorted digests, because a program that reads the text trusts the
 * owner of every certificate in it. Undefined if the text contains no certificate, or if it contains a block that is
 * not a plain certificate but might be read as a certificate by another program.
 */
export function certificateDigest(pem: string): string | undefined {
  const found = [...pem.matchAll(block)].map(([, encoded = ""]) => sha256(Buffer.from(encoded, "base64")));
  if (found.length !== pem.split("-----BEGIN").length - 1) return undefined;
  const [first, ...others] = [...new Set(found)].toSorted();
  return others.length === 0 ? first : sha256([first, ...others].join("\n"));
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
