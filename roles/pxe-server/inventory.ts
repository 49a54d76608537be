import type { Node, PlayHost } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";
import * as t from "../../tasks/index.ts";

/** The group of the inventory that contains the server. */
export const serverGroup = "pxe";

/** True for the host that serves the rack: the inventory's only host, or the one in the group `pxe`. */
export function isServer(host: PlayHost, all: readonly PlayHost[]): boolean {
  return all.length === 1 || host.groups.includes(serverGroup);
}

/** Fails on the inventory's first host if the inventory does not say which host is the server. */
export function noServer(host: PlayHost, all: readonly PlayHost[]): Node {
  const servers = all.filter((one) => isServer(one, all)).map(({ name }) => name);
  return (
    host.index === 0 &&
    servers.length !== 1 &&
    t.assert({
      that: [
        {
          check: false,
          message: `the group ${serverGroup} has ${servers.length === 0 ? "no host" : servers.join(" and ")}, so it is not clear which host is the server`,
          hint: `Put exactly one host of the inventory into the group ${serverGroup}`,
        },
      ],
    })
  );
}

/** Returns the IPv4 address of each host, by its name; hosts with a DNS name are left out. */
export function addressesOf(hosts: readonly PlayHost[]): Record<string, string> {
  return Object.fromEntries(
    hosts.filter(({ address }) => ipv4Number(address) !== undefined).map(({ name, address }) => [name, address]),
  );
}
