import { isSecret, mapTexts, match, peek, scryptHash, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import type { ClusterNode } from "../cluster/nodes.ts";
import { nodeConfig } from "../harvester-config/node-config.ts";

/** The configuration that a node must be installed with. Its values may be secret. */
export interface AskedNode {
  readonly name: string;
  readonly version: string;
  readonly token: string;
  readonly password: string;
  /** The other values of the installer's configuration, by dotted path. */
  readonly config: Readonly<Record<string, string>>;
}

const fingerprint = z.strictObject({
  /** The version that was installed, or the one that `harvester-upgrade` has since upgraded the cluster to. */
  version: z.string(),
  /** SHA-256 of the cluster's CA certificate, in hex. */
  ca: z.string().regex(/^[\da-f]{64}$/),
  /** Slow hashes of the token and the password, never the values themselves. */
  token: z.string(),
  password: z.string(),
  /** Each value of the configuration; a secret is replaced by a slow hash. */
  config: z.record(z.string(), z.string()),
});

/** How a node was installed, and which cluster it is in. */
export type Fingerprint = z.output<typeof fingerprint>;

/**
 * Returns the configuration that a node must be installed with, without the values that matter only during
 * installation.
 */
export function askedNode(cluster: Cluster, node: ClusterNode, publicAddress: string): AskedNode {
  // A first node that is reinstalled joins the cluster; with `rebuilt`, the result is the same before and after the
  // reinstallation.
  const { token: _token, os, install, ...others } = nodeConfig(cluster, node, publicAddress, { rebuilt: true });
  const { password: _password, ...ownOs } = os;
  const { webhooks: _webhooks, iso_url: _url, mode: _mode, ...ownInstall } = install;
  const settings = cluster.config.system_settings;
  return {
    name: node.name,
    version: cluster.version,
    token: String(cluster.token),
    password: String(cluster.password),
    config: leaves({ ...others, os: ownOs, install: ownInstall, ...(settings && { system_settings: settings }) }),
  };
}

function leaves(value: unknown, path = ""): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null)
    return { [path]: typeof value === "string" ? value : JSON.stringify(value) };
  const parts = Object.entries(value).map(([key, part]) => leaves(part, path === "" ? key : `${path}.${key}`));
  return Object.assign({}, ...parts) as Record<string, string>;
}

/**
 * Returns the fingerprint of a node in the cluster with this CA certificate. The certificate's digest is also the salt
 * of the hashes, so every controller computes the same hashes, and the hashes of two clusters cannot be compared.
 */
export function fingerprintOf(asked: AskedNode, ca: string): Fingerprint {
  const config = Object.entries(asked.config).map(([path, value]) => [
    path,
    isSecret(value) ? hashed(value, `${ca} ${path}`) : value,
  ]);
  return {
    version: asked.version,
    ca,
    token: hashed(asked.token, `${ca} token`),
    password: hashed(asked.password, `${ca} password`),
    config: Object.fromEntries(config) as Record<string, string>,
  };
}

function hashed(value: string, salt: string): string {
  return mapTexts([value], ([text]) => scryptHash(text, salt));
}

/** Returns the text in which a fingerprint is stored. */
export function fingerprintText(value: Fingerprint): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Reads a stored fingerprint; undefined if the text is something else. */
export function readFingerprint(text: string): Fingerprint | undefined {
  try {
    return fingerprint.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of a record; undefined if it does not exist. In check mode, a record that an earlier task would
 * write has no text yet; a run would write what the vars currently request.
 */
export function recordText(record: unknown): string | undefined {
  const text = typeof record === "object" && record !== null ? peek(record as { text?: unknown }, "text") : undefined;
  return typeof text === "string" ? text : undefined;
}

/** Returns the fingerprints in those records that can be read. */
export function recordsIn(records: readonly unknown[]): Fingerprint[] {
  return records.flatMap((_, at) => readFingerprint(recordText(peek(records, at)) ?? "") ?? []);
}

/** Values of the configuration that identify the node and its cluster. */
const fixed: ReadonlySet<string> = new Set(["server_url", "os.hostname"]);

/** One difference between what a node was installed with and what is requested. Secrets are not shown. */
export interface Difference {
  readonly what: string;
  readonly current: string;
  readonly expected: string;
}

/**
 * Returns a difference in the token, the cluster's address or the node's name. Any of these shows that it is another
 * node, or a node of another cluster.
 */
export function otherIdentity(found: Fingerprint, asked: AskedNode): Difference | undefined {
  const now = fingerprintOf(asked, found.ca);
  if (match(found.token, now.token) !== "same")
    return { what: "token", current: "another token", expected: "the token in the vars" };
  return differing(found.config, now.config).find(({ what }) => fixed.has(what));
}

/** Returns the values that the installer reads only once and that have changed since the installation. */
export function driftOf(found: Fingerprint, asked: AskedNode): Difference[] {
  const now = fingerprintOf(asked, found.ca);
  const password = match(found.password, now.password) !== "same";
  return [
    ...(password ? [{ what: "password", current: "another password", expected: "the password in the vars" }] : []),
    ...differing(found.config, now.config).filter(({ what }) => !fixed.has(what)),
  ];
}

function differing(found: Fingerprint["config"], now: Fingerprint["config"]): Difference[] {
  const paths = [...new Set([...Object.keys(found), ...Object.keys(now)])];
  return paths
    .filter((path) => match(found[path] ?? "", now[path] ?? "") !== "same")
    .map((what) => ({ what, current: shown(found[what]), expected: shown(now[what]) }));
}

function shown(value: string | undefined): string {
  if (value === undefined) return "nothing";
  if (value.startsWith("scrypt:") || value.startsWith("«secret ")) return "a secret";
  return value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
