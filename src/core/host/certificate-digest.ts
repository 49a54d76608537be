import { createHash } from "node:crypto";

const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/;

/**
 * The SHA-256, in hex, of the first certificate in a PEM text, as `openssl x509 -fingerprint -sha256` computes it;
 * undefined if the text contains no certificate.
 */
export function certificateDigest(pem: string): string | undefined {
  const encoded = block.exec(pem)?.[1];
  if (encoded === undefined) return undefined;
  return createHash("sha256").update(Buffer.from(encoded, "base64")).digest("hex");
}
