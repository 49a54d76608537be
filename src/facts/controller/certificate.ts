import type { ControllerFact } from "../../core/facts/fact.ts";

/** The data in a certificate. */
export interface CertificateSeen {
  /** `CN=harvester.example.org`. */
  readonly subject: string;
  readonly issuer: string;
  /** ISO 8601, in UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** The names and addresses that the certificate is valid for, as it lists them. */
  readonly names: readonly string[];
  /** The SHA-256 of the whole certificate. */
  readonly fingerprint: string;
}

/** The problem with a certificate and its key, or their data. */
export type GivenCertificate =
  /** The certificate or key cannot be used: the text is not a certificate, the key is encrypted, … */
  | { readonly problem: string }
  | {
      /** The server's certificate first, then the others in its file. */
      readonly certificates: readonly CertificateSeen[];
      readonly matchesKey: boolean;
      /** The requested hosts that the certificate is not valid for. */
      readonly uncovered: readonly string[];
      /** Why a client could not follow the chain to a certificate that it trusts; undefined if it could. */
      readonly chainProblem?: string;
    };

/** The certificate that a server presents, or why it presents none. */
export type ServedCertificate =
  | {
      readonly certificate: CertificateSeen;
      /** Why a client with these authorities would not trust the certificate: `ERR_TLS_CERT_ALTNAME_INVALID`, …. */
      readonly untrusted?: string;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A certificate with its key, in PEM format; any of the fields may be secret. */
export interface GivenQuestion {
  readonly certificate: string;
  readonly key: string;
  /** The authorities that clients trust; default: those that Node trusts. */
  readonly ca?: string;
  /** Names and addresses that the certificate must be valid for. */
  readonly hosts: readonly string[];
}

/** A server, by the address to connect to. */
export interface ServedQuestion {
  readonly host: string;
  readonly port: number;
  /** The name that the certificate must be valid for; default: the host. */
  readonly name?: string;
  /** PEM certificates of the authorities to trust; default: those that Node trusts. */
  readonly ca?: string;
}

/** Reads a certificate and its key on the controller. The answer contains no part of the key. */
export function givenCertificate(question: GivenQuestion): ControllerFact<GivenCertificate> {
  const { certificate, key, ca, hosts } = question;
  return {
    driver: "certificate",
    request: { given: { certificate, key, ...(ca !== undefined && { ca }), hosts: [...hosts] } },
  };
}

/** Connects to a server, and reads the certificate that it presents. Sends no data. */
export function servedCertificate({ host, port, name, ca }: ServedQuestion): ControllerFact<ServedCertificate> {
  return {
    driver: "certificate",
    request: { served: { host, port, ...(name !== undefined && { name }), ...(ca !== undefined && { ca }) } },
  };
}

/** The addresses of a name, or why the name has none. */
export type ResolvedName =
  | { readonly addresses: readonly string[] }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Asks the controller's resolver for the addresses of a name. */
export function resolvedName(name: string): ControllerFact<ResolvedName> {
  return { driver: "dns", request: { name } };
}
