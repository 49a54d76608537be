import type { HttpAnswer } from "../../src/authoring.ts";

/** The causes by error code: Node's error codes for the controller, and curl's exit codes (`man curl`) for a host. */
const causes: readonly (readonly [pattern: RegExp, cause: string])[] = [
  [
    /^(ECONNREFUSED|curl 7)$/,
    "nothing listens there: the service is not up yet, or listens on another address or port",
  ],
  [
    /^(ETIMEDOUT|curl 28)$/,
    "no answer came in time: a firewall or security group drops the packets, or the server is overloaded",
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN|curl 6)$/,
    "the name does not resolve: there is no DNS record yet, or another resolver is needed",
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    "the address is unreachable: the machine is off, or the route to its network is missing",
  ],
  [/^(CERT_HAS_EXPIRED)$/, "the certificate has expired, or one of the clocks is wrong"],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID)$/,
    "the certificate is for another name: use that name in the URL, or set `insecure: true`",
  ],
  [
    /(SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^curl 60$|^curl 51$)/,
    "the certificate is not from a trusted issuer: set `caCert` to its issuer, or set `insecure: true`",
  ],
  [
    /^(HPE_|curl 1$|curl 52$)/,
    "the server does not speak HTTP, or closes the connection: check the port, and whether the URL needs http or https",
  ],
  [/(SSL|EPROTO|^curl 35$)/, "the server does not speak TLS: check the port, and whether the URL needs http or https"],
  [
    /^(ECONNRESET|EPIPE|curl (18|56))$/,
    "the server closes the connection during the answer: it is starting, stopping or crashing",
  ],
  [/^no-curl$/, 'the host has no curl: install it, or set from: "controller"'],
];

const statuses: readonly (readonly [pattern: RegExp, cause: string])[] = [
  [/^3/, "it redirects: use the URL it redirects to, or expect that status"],
  [/^40[13]$/, "it requires a login"],
  [/^404$/, "the server is up, but has nothing under that path yet"],
  [/^50[234]$/, "a proxy is up, but the service behind it is not up yet"],
  [/^5/, "the service is up but fails: check its log"],
];

/**
 * Returns the likely cause of an unexpected answer from a server, as part of a sentence; undefined if no likely cause
 * is known.
 */
export function likelyCause(answer: HttpAnswer): string | undefined {
  if ("error" in answer) return causes.find(([pattern]) => pattern.test(answer.error.code))?.[1];
  return statuses.find(([pattern]) => pattern.test(String(answer.status)))?.[1];
}
