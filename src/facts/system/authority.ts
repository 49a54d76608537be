import { X509Certificate } from "node:crypto";

/** The certificate of a certificate authority. */
export interface Authority {
  /** The certificate in PEM format with lines of 64 characters, whatever its original form. */
  readonly pem: string;
  /** The SHA-256 of the certificate, in lower-case hex. */
  readonly fingerprint: string;
  /** The subject, on one line: `C=DE, CN=Example Root`. */
  readonly subject: string;
  /** ISO 8601, in UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** A description of the expected text, to complete "expected …". */
export interface NoAuthority {
  readonly expected: string;
}

/**
 * Reads the certificate of one authority from a string in PEM format (RFC 7468), or describes what is wrong with the
 * string. The certificate must be that of a CA (RFC 5280, basic constraints) and valid at the time `at`, in
 * milliseconds since the epoch. The result never quotes the string, because the string may contain a private key by
 * mistake.
 */
export function authorityIn(text: string, at?: number): Authority | NoAuthority {
  const labels = [...text.matchAll(/^-----BEGIN ([A-Z0-9 ]+)-----\s*$/gm)].map(([, label = ""]) => label);
  const key = labels.find((label) => label.endsWith("PRIVATE KEY"));
  if (key !== undefined) {
    return {
      expected: `only a certificate; the text also contains a "${key}", which must not be on hosts that only need to trust the certificate`,
    };
  }
  const other = labels.find((label) => label !== "CERTIFICATE");
  if (other !== undefined) return { expected: `only a certificate; the text also contains a block "${other}"` };
  if (labels.length !== 1) {
    return labels.length === 0
      ? { expected: 'a certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"' }
      : { expected: `one certificate, but the text contains ${labels.length}; write a task for each` };
  }
  const certificate = read(text);
  return certificate === undefined
    ? { expected: "a certificate that can be read; this one is damaged" }
    : judge(certificate, at);
}

function read(text: string): X509Certificate | undefined {
  const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/.exec(text)?.[0];
  if (block === undefined) return undefined;
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

function judge(certificate: X509Certificate, at: number | undefined): Authority | NoAuthority {
  const subject = certificate.subject.split("\n").join(", ");
  const [from, to] = [certificate.validFromDate, certificate.validToDate];
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  if (!certificate.ca) {
    return {
      expected: `the certificate of a CA, with CA:TRUE in its basic constraints; the certificate of "${subject}" has no CA:TRUE`,
    };
  }
  if (at !== undefined && to.getTime() < at) {
    return {
      expected: `a certificate that has not expired; the certificate of "${subject}" was valid from ${day(from)} to ${day(to)}`,
    };
  }
  if (at !== undefined && from.getTime() > at) {
    return {
      expected: `a certificate that is already valid; the certificate of "${subject}" is valid from ${day(from)} to ${day(to)}`,
    };
  }
  return {
    pem: certificate.toString(),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    subject,
    notBefore: from.toISOString(),
    notAfter: to.toISOString(),
  };
}
