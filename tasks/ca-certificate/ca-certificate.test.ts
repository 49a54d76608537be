import { describe, expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./ca-certificate.cases.ts";
import { caCertificate } from "./ca-certificate.ts";
import { futureRoot, leaf, oldRoot, otherRoot, root } from "./certificates.fixture.ts";

test("caCertificate meets the task contract and does what each case says", () => {
  expect(contractOf(caCertificate, cases, { folder: "ca-certificate" })).toEqual([]);
});

const key = "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END EC PRIVATE KEY-----\n";
const messageFor = (content: string): string => {
  try {
    explain(caCertificate({ name: "x", content }), {});
  } catch (error) {
    return String(error instanceof Error && "failure" in error ? JSON.stringify(error.failure) : error);
  }
  return "accepted";
};

describe("caCertificate refuses, before a host is touched,", () => {
  test.each([
    { what: "no certificate", content: "MIIB", says: "a certificate in PEM format" },
    { what: "a file's path", content: "/etc/ssl/root.pem", says: "a certificate in PEM format" },
    { what: "two certificates", content: root + otherRoot, says: "one certificate, but the text contains 2" },
    {
      what: "a private key",
      content: root + key,
      says: 'only a certificate; the text also contains a \\"EC PRIVATE KEY',
    },
    { what: "only a private key", content: key, says: "which must not be on hosts" },
    {
      what: "another block",
      content: `${root}-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n`,
      says: 'a block \\"X509 CRL\\"',
    },
    { what: "a damaged certificate", content: root.replace("MII", "AAA"), says: "this one is damaged" },
    { what: "half a certificate", content: root.slice(0, 300), says: "this one is damaged" },
    {
      what: "a server's certificate",
      content: leaf,
      says: 'the certificate of \\"O=Example, CN=web.example\\" has no CA:TRUE',
    },
    {
      what: "an expired certificate, with its dates",
      content: oldRoot,
      says: 'the certificate of \\"O=Example, CN=Old Root\\" was valid from 2010-01-01 to 2020-01-01',
    },
    {
      what: "a certificate that is not valid yet, with its dates",
      content: futureRoot,
      says: "is valid from 2100-01-01 to 2120-01-01",
    },
  ])("$what", ({ content, says }) => {
    const message = messageFor(content);
    expect(message).toContain("content");
    expect(message).toContain(says);
    expect(message).not.toContain("c2VjcmV0");
  });

  test.each(["", "../x", "a/b", "root.crt", "-x"])("the name %j", (name) => {
    expect(() => explain(caCertificate({ name, content: root }), {})).toThrow('param "name"');
  });
});
