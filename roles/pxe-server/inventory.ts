import { FurrowError, type PlayHost } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";

/** The group of the inventory that contains the server. */
export const serverGroup = "pxe";

/** True for the host that serves the rack: the inventory's only host, or the one in the group `pxe`. */
export function isServer(host: PlayHost, all: readonly PlayHost[]): boolean {
  return all.length === 1 || host.groups.includes(serverGroup);
}

/** Refuses an inventory that does not say which host is the server. Throws FurrowError E_INVENTORY. */
export function refuseServers(all: readonly PlayHost[]): void {
  const servers = all.filter((one) => isServer(one, all)).map(({ name }) => name);
  if (servers.length === 1) return;
  throw new FurrowError("E_INVENTORY", {
    what: `it is not clear which host is the server, because ${servers.length === 0 ? `no host is in the group ${serverGroup}` : `several hosts are in the group ${serverGroup}`}`,
    current: servers.length === 0 ? all.map(({ name }) => name).join(", ") : servers.join(", "),
    expected: `one host in the inventory, or one in the group ${serverGroup}`,
    hint: `Put exactly one host of the inventory into the group ${serverGroup}`,
  });
}

/** Returns the IPv4 address of each host, keyed by the host's name; hosts with a DNS name are left out. */
export function addressesOf(hosts: readonly PlayHost[]): Record<string, string> {
  return Object.fromEntries(
    hosts.filter(({ address }) => ipv4Number(address) !== undefined).map(({ name, address }) => [name, address]),
  );
}
