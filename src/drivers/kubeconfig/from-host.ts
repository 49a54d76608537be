import { existsSync } from "node:fs";
import { certificateDigest } from "../../core/host/certificate-digest.ts";
import type { KubeconfigContent } from "./content.ts";
import { type Entry, says } from "./wrong.ts";

/** How a kubeconfig from a host must reach its cluster. */
export interface Reached {
  readonly server: string;
  /** The name that the server's certificate must contain. */
  readonly serverName: string;
}

/** The file with the SSH host keys of the nodes that furrow fetches a kubeconfig from. */
export function hostKeysPath(kubeconfig: string): string {
  return `${kubeconfig}.known_hosts`;
}

/**
 * True if furrow has fetched a kubeconfig from a host: host keys are then stored next to it, and no host can remove
 * them.
 */
export function isFromHost(kubeconfig: string): boolean {
  return existsSync(hostKeysPath(kubeconfig));
}

const ofCluster: ReadonlySet<string> = new Set(["server", "certificate-authority-data", "tls-server-name"]);
const ofUser: ReadonlySet<string> = new Set(["client-certificate-data", "client-key-data", "token"]);

/**
 * Returns the first part of a kubeconfig that is not allowed in a kubeconfig from a host; undefined if the kubeconfig
 * is self-contained. In a self-contained kubeconfig, no entry starts a program, names a file on the controller or
 * another route to the server, or trusts every server. The allowed fields are listed here, so an unknown field is
 * refused. `reached`: the only server that the entries may name.
 */
export function foreignPart({ clusters, users }: KubeconfigContent, reached?: Reached): string | undefined {
  for (const entry of clusters) {
    const cluster = entry["cluster"] as Entry;
    const part = otherField(cluster, ofCluster) ?? untrusted(cluster) ?? elsewhere(cluster, reached);
    if (part !== undefined) return part;
  }
  for (const { user } of users) {
    const part = otherField(user as Entry, ofUser);
    if (part !== undefined) return part;
  }
  return undefined;
}

function otherField(of: Entry, own: ReadonlySet<string>): string | undefined {
  const field = Object.keys(of).find((name) => !own.has(name) && of[name] !== false && says(of, name));
  if (field === undefined) return undefined;
  const command = (of["exec"] as Entry | undefined)?.["command"];
  if (field === "exec" && typeof command === "string") return `exec (${command})`;
  // The host also chooses the name of the field, so only a plain name is shown.
  return /^[\w-]{1,40}$/.test(field) ? field : "an unknown field";
}

/** The digest of the CA certificates in a cluster's entry; undefined if it contains none. */
export function authorityIn(cluster: Entry): string | undefined {
  const data = cluster["certificate-authority-data"];
  return typeof data === "string" ? certificateDigest(Buffer.from(data, "base64").toString("latin1")) : undefined;
}

function untrusted(cluster: Entry): string | undefined {
  if (!/^https:/i.test(String(cluster["server"]))) return "a server without https";
  return authorityIn(cluster) === undefined ? "no certificate authority of its own" : undefined;
}

function elsewhere(cluster: Entry, reached: Reached | undefined): string | undefined {
  if (reached === undefined) return undefined;
  if (cluster["server"] !== reached.server) return `a server other than ${reached.server}`;
  return cluster["tls-server-name"] === reached.serverName
    ? undefined
    : `a tls-server-name other than ${reached.serverName}`;
}
