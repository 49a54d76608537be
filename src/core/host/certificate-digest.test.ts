import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { certificateDigest } from "./certificate-digest.ts";

const [first = "", second = ""] = rootCertificates;

test("the digest of one certificate is the fingerprint that openssl prints, regardless of the text around it", () => {
  const fingerprint = new X509Certificate(first).fingerprint256.replaceAll(":", "").toLowerCase();
  for (const text of [first, `# mine\n${first}\r\n`, first.replaceAll("\n", "\r\n"), `${first}\n${first}`])
    expect(certificateDigest(text)).toBe(fingerprint);
});

test("the digest of several certificates covers the whole set, so adding one changes it", () => {
  const both = certificateDigest(`${first}\n${second}`);
  expect(both).toMatch(/^[\da-f]{64}$/);
  expect(certificateDigest(`${second}\n${first}\n${second}`)).toBe(both);
  expect([certificateDigest(first), certificateDigest(second)]).not.toContain(both);
});

test("the digest is undefined if the text has no certificate, or has another block that a program may read as one", () => {
  expect(certificateDigest("<html>404</html>")).toBeUndefined();
  for (const name of ["TRUSTED CERTIFICATE", "X509 CERTIFICATE", "RSA PRIVATE KEY"])
    expect(certificateDigest(`${first}\n${second.replaceAll("CERTIFICATE", name)}`)).toBeUndefined();
  const withHeader = second.replace("-----\n", "-----\nComment: mine\n\n");
  expect(certificateDigest(`${first}\n${withHeader}`)).toBeUndefined();
});
