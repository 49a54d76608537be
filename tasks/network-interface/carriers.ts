import type { NetworkState } from "./network-state.ts";
import { type Params, touchedBy } from "./params.ts";

/**
 * The interfaces that carry the connection or a default route, with everything below and above them: ports, bridges,
 * bonds, and the parents of VLANs. Undefined if the host does not report which interface the connection uses.
 */
export function carriersOf({ connection, defaults, links }: NetworkState): ReadonlySet<string> | undefined {
  if (connection === undefined || links[connection] === undefined) return undefined;
  const found = new Set([connection, ...defaults]);
  for (const name of found) {
    const link = links[name];
    for (const other of [link?.master, link?.parent]) if (other !== undefined && other !== "") found.add(other);
    for (const [other, { master }] of Object.entries(links)) if (master === name) found.add(other);
  }
  return found;
}

/**
 * True if a change may cut the connection: it touches an interface that carries the connection, or gives another
 * interface routes or addresses that may divert the connection's packets. Also true if the host does not report which
 * interface carries the connection.
 */
export function mayCutOff(p: Params, state: NetworkState): boolean {
  const carriers = carriersOf(state);
  if (carriers === undefined) return true;
  const touched = [...touchedBy(p), ...(p.kind === "vlan" ? [p.parent] : [])];
  if (touched.some((name) => carriers.has(name))) return true;
  return p.dhcp || p.gateway !== undefined || p.routes.length > 0 || p.addresses.length > 0;
}
