import type { Duplex } from "node:stream";
import { z } from "zod";
import { isRecord } from "../../core/facts/symbols.ts";
import { type Entry, issueText, says, wrong } from "./wrong.ts";

/** The name under which a kubeconfig's cluster says how furrow reaches it. */
const extensionName = "furrow";

const schema = z.strictObject({ through: z.string().min(1) });

/**
 * The host of the inventory through whose SSH connection a cluster's API is reached, as the cluster's extension `furrow`
 * says: `extensions: [{ name: furrow, extension: { through: HOST } }]`. Kubernetes' own clients ignore extensions that
 * they do not know. Throws FurrowError E_FILE.
 */
export function throughOf(cluster: Entry, file: string): string | undefined {
  const { extensions } = cluster;
  if (!Array.isArray(extensions)) return undefined;
  const own = extensions.filter(isRecord).find(({ name }) => name === extensionName);
  if (own === undefined) return undefined;
  const result = schema.safeParse(own["extension"]);
  if (!result.success) throw wrong(file, issueText(result.error.issues[0], ["extensions", extensionName]));
  if (says(cluster, "proxy-url")) throw wrong(file, "its cluster has a proxy-url and is reached through a host", hint);
  return result.data.through;
}

const hint = "Remove proxy-url or the extension furrow";

/** Opens TCP connections from hosts of the inventory. */
export interface HostTunnels {
  /** Throws FurrowError, such as E_UNREACHABLE or E_AUTH, and the signal's reason. */
  open(host: string, target: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<Duplex>;
  /** Closes all connections. */
  close(): void;
}

let tunnels: HostTunnels | undefined;

/** Sets what opens connections from hosts in this process: the command line, which knows the inventory. */
export function provideTunnels(given: HostTunnels): void {
  tunnels?.close();
  tunnels = given;
}

/** Closes the connections that a run has opened from hosts; an open one would keep furrow alive. */
export function closeTunnels(): void {
  tunnels?.close();
}

/** What opens connections from hosts; undefined where there is no inventory. */
export function hostTunnels(): HostTunnels | undefined {
  return tunnels;
}
