import type { ControllerFact } from "../../core/facts/fact.ts";

/** What a certificate says about itself. */
export interface CertificateSeen {
  /** `CN=harvester.example.org`. */
  readonly subject: string;
  readonly issuer: string;
  /** ISO 8601, in UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** The names and addresses that it is for, in the order in which it has them. */
  readonly names: readonly string[];
  /** The SHA-256 of the whole certificate. */
  readonly fingerprint: string;
}

/** What is wrong with a certificate and its key, or what they say. */
export type GivenCertificate =
  /** It cannot be read: not a certificate, an encrypted key, … */
  | { readonly problem: string }
  | {
      /** The server's certificate first, then those that its file has besides it. */
      readonly certificates: readonly CertificateSeen[];
      readonly matchesKey: boolean;
      /** The hosts that were asked for and that the certificate is not for. */
      readonly uncovered: readonly string[];
      /** Why a client could not follow the chain to a certificate that it trusts; undefined if it could. */
      readonly chainProblem?: string;
    };

/** The certificate that a server shows, or why it does not show one. */
export type ServedCertificate =
  | {
      readonly certificate: CertificateSeen;
      /** Why a client with these authorities would not trust it: `ERR_TLS_CERT_ALTNAME_INVALID`, …. */
      readonly untrusted?: string;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A certificate with its key, in PEM format; all of them may be secret. */
export interface GivenQuestion {
  readonly certificate: string;
  readonly key: string;
  /** The authorities that clients trust; default: those that Node trusts. */
  readonly ca?: string;
  /** Names and addresses that it must be for. */
  readonly hosts: readonly string[];
}

/** A server, by the address at which it is asked. */
export interface ServedQuestion {
  readonly host: string;
  readonly port: number;
  /** The name that the certificate must be for; default: the host. */
  readonly name?: string;
  /** PEM certificates of the authorities to trust; default: those that Node trusts. */
  readonly ca?: string;
}

/** Looks at a certificate and its key on the controller. The answer contains nothing of the key. */
export function givenCertificate(question: GivenQuestion): ControllerFact<GivenCertificate> {
  const { certificate, key, ca, hosts } = question;
  return {
    driver: "certificate",
    request: { given: { certificate, key, ...(ca !== undefined && { ca }), hosts: [...hosts] } },
  };
}

/** Connects to a server, and looks at the certificate that it shows. Sends nothing. */
export function servedCertificate({ host, port, name, ca }: ServedQuestion): ControllerFact<ServedCertificate> {
  return {
    driver: "certificate",
    request: { served: { host, port, ...(name !== undefined && { name }), ...(ca !== undefined && { ca }) } },
  };
}

/** The addresses of a name, or why it has none. */
export type ResolvedName =
  | { readonly addresses: readonly string[] }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Asks the controller's resolver for the addresses of a name. */
export function resolvedName(name: string): ControllerFact<ResolvedName> {
  return { driver: "dns", request: { name } };
}
