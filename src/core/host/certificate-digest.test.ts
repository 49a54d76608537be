import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { certificateDigest } from "./certificate-digest.ts";

const [first = "", second = ""] = rootCertificates;

test("the digest of a PEM text is the fingerprint that openssl prints for its first certificate, regardless of the text around it", () => {
  const fingerprint = new X509Certificate(first).fingerprint256.replaceAll(":", "").toLowerCase();
  for (const text of [first, `\n${first}\r\n${second}`, first.replaceAll("\n", "\r\n")])
    expect(certificateDigest(text)).toBe(fingerprint);
});

test("the digest is undefined for a text that contains no certificate", () => {
  expect(certificateDigest("<html>404</html>")).toBeUndefined();
});
