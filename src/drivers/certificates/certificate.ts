import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect, rootCertificates } from "node:tls";
import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import { reveal } from "../../core/secrets/secret.ts";
import type { CertificateSeen, GivenCertificate, ServedCertificate } from "../../facts/controller/certificate.ts";

const pem = z.string().min(1);

const given = z.strictObject({ certificate: pem, key: pem, ca: pem.optional(), hosts: z.array(z.string().min(1)) });
const served = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  name: z.string().min(1).optional(),
  ca: pem.optional(),
});
const requestSchema = z.union([z.strictObject({ given }), z.strictObject({ served })]);

/** Inspects certificates: one that is given with its key, or the one that a server presents. */
export const certificateDriver: Driver = {
  name: "certificate",
  read: async (request, signal): Promise<GivenCertificate | ServedCertificate> => {
    const question = requestSchema.parse(request);
    return "given" in question ? lookAtGiven(question.given) : lookAtServed(question.served, signal);
  },
};

function lookAtGiven({ certificate, key, ca, hosts }: z.output<typeof given>): GivenCertificate {
  const own = certificatesIn(reveal(certificate));
  const authorities = ca === undefined ? undefined : certificatesIn(reveal(ca));
  const [leaf] = own ?? [];
  if (own === undefined || leaf === undefined)
    return { problem: "the certificate file does not contain a PEM certificate" };
  if (ca !== undefined && (authorities?.length ?? 0) === 0)
    return { problem: "the authorities file does not contain a PEM certificate" };
  const privateKey = keyIn(reveal(key));
  if (typeof privateKey === "string") return { problem: privateKey };
  const chainProblem = chainProblemOf(own, authorities);
  return {
    certificates: own.map(seen),
    matchesKey: leaf.checkPrivateKey(privateKey),
    uncovered: hosts.filter((host) => !isFor(leaf, host)),
    ...(chainProblem !== undefined && { chainProblem }),
  };
}

/** The certificates in a PEM text; undefined if one of them cannot be read. */
function certificatesIn(text: string): X509Certificate[] | undefined {
  try {
    const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

/** The private key in a PEM text, or why it cannot be read. OpenSSL's own message could quote the text. */
function keyIn(text: string): KeyObject | string {
  if (/ENCRYPTED/.test(text)) return "the private key is encrypted, and Harvester cannot ask for its passphrase";
  try {
    return createPrivateKey(text);
  } catch {
    return "the private key file does not contain a PEM private key";
  }
}

/** Ignores the common name, as Go (and therefore Harvester's own clients) does. */
function isFor(certificate: X509Certificate, host: string): boolean {
  const found = isIP(host) > 0 ? certificate.checkIP(host) : certificate.checkHost(host, { subject: "never" });
  return found !== undefined;
}

function chainProblemOf(
  own: readonly X509Certificate[],
  authorities: readonly X509Certificate[] | undefined,
): string | undefined {
  const broken = own.findIndex((one, index) => index > 0 && !isIssued(own[index - 1] as X509Certificate, one));
  if (broken > 0)
    return `certificate ${broken + 1} in the file (${nameOf(own[broken] as X509Certificate)}) did not issue the one before it`;
  const last = own.at(-1) as X509Certificate;
  const anchors = authorities ?? rootCertificates.map((text) => new X509Certificate(text));
  if (anchors.some((one) => one.fingerprint256 === last.fingerprint256 || isIssued(last, one))) return undefined;
  const where =
    authorities === undefined
      ? "is not a public authority, and no authorities are given"
      : "is not among the given authorities";
  return `the issuer of the last certificate in the file (${flat(last.issuer)}) ${where}`;
}

function isIssued(certificate: X509Certificate, by: X509Certificate): boolean {
  return certificate.checkIssued(by) && certificate.verify(by.publicKey);
}

function nameOf({ subject }: X509Certificate): string {
  return flat(subject);
}

/** OpenSSL writes one part of a name per line. */
function flat(name: string | undefined): string {
  return (name ?? "").split("\n").join(", ");
}

function seen({
  subject,
  issuer,
  validFrom,
  validTo,
  subjectAltName,
  fingerprint256,
}: X509Certificate): CertificateSeen {
  const names = (subjectAltName ?? "").split(", ").map((one) => one.replace(/^(DNS|IP Address):/, ""));
  return {
    subject: flat(subject),
    issuer: flat(issuer),
    notBefore: isoOf(validFrom),
    notAfter: isoOf(validTo),
    names: names.filter((one) => one !== ""),
    fingerprint: fingerprint256,
  };
}

function isoOf(text: string): string {
  return `${new Date(text).toISOString().slice(0, 19)}Z`;
}

const limitMs = 10_000;

function lookAtServed(
  { host, port, name, ca }: z.output<typeof served>,
  signal: AbortSignal,
): Promise<ServedCertificate> {
  const wanted = name ?? host;
  return new Promise((settle, fail) => {
    const socket = connect({
      host,
      port,
      // An address is not allowed as a server name.
      ...(isIP(wanted) === 0 && { servername: wanted }),
      ...(ca !== undefined && { ca: reveal(ca) }),
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const end = (answer: ServedCertificate): void => {
      socket.destroy();
      settle(answer);
    };
    const timer = setTimeout(
      () => end({ error: { code: "timeout", message: `no certificate within ${limitMs / 1000} seconds` } }),
      limitMs,
    );
    const stop = (): void => {
      socket.destroy();
      fail(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
    socket.on("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    });
    socket.on("error", ({ code = "ERROR", message }: NodeJS.ErrnoException) => end({ error: { code, message } }));
    socket.on("secureConnect", () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate === undefined)
        return end({ error: { code: "no-certificate", message: "the server presents no certificate" } });
      const untrusted = socket.authorized
        ? isFor(certificate, wanted)
          ? undefined
          : `the certificate is not valid for ${wanted}`
        : String(socket.authorizationError);
      return end({ certificate: seen(certificate), ...(untrusted !== undefined && { untrusted }) });
    });
  });
}
