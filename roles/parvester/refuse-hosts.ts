import { FurrowError, type PlayContext } from "../../src/authoring.ts";
import { agentGroup } from "../rke2/members.ts";
import type { Parvester } from "./parvester.ts";

/** The pattern of names that Kubernetes accepts for a node. */
const nodeName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Refuses an inventory and vars that do not fit together, before connecting to any host: names that no node can have,
 * an address given twice, no server, or a var `node` that names no host. Throws FurrowError E_INVENTORY, E_VARS.
 */
export function refuseHosts({ vars, allHosts }: Pick<PlayContext<Parvester>, "vars" | "allHosts">): void {
  const names = allHosts.map(({ name }) => name);
  const wrongName = names.find((name) => !nodeName.test(name));
  if (wrongName !== undefined)
    throw new FurrowError("E_INVENTORY", {
      what: `${wrongName} cannot be the name of a node`,
      expected: "lower-case letters, digits, dashes and dots",
      hint: "Rename the host in the inventory, and keep its address in `address`",
    });
  const addresses = allHosts.map(({ address }) => oneSpelling(address));
  const doubleIndex = addresses.findIndex((address, index) => addresses.indexOf(address) < index);
  const double = allHosts[doubleIndex];
  const first = allHosts[addresses.indexOf(addresses[doubleIndex] ?? "")];
  if (double !== undefined && first !== undefined)
    throw new FurrowError("E_INVENTORY", {
      what: `${first.name} and ${double.name} have the same address`,
      current: double.address,
      expected: "a different address for each host",
      hint: `Correct the address of ${first.name} or ${double.name} in the inventory`,
    });
  if (allHosts.every(({ groups }) => groups.includes(agentGroup)))
    throw new FurrowError("E_INVENTORY", {
      what: `all hosts are in the group ${agentGroup}, so no host would be a server`,
      current: names.join(", "),
      hint: `Remove at least one host from the group ${agentGroup}`,
    });
  const node = "node" in vars && typeof vars.node === "string" ? vars.node : undefined;
  if (node !== undefined && !names.includes(node))
    throw new FurrowError("E_VARS", {
      what: 'the var "node" is not a host of the inventory',
      current: node,
      expected: `one of ${names.join(", ")}`,
      hint: "Correct it, or add the host to the inventory",
    });
}

/** Refuses a machine whose static address is that of a host or of the cluster. Throws FurrowError E_VARS. */
export function refuseTaken({
  vars: { machines, serverAddress, nodeIp },
  allHosts,
}: Pick<PlayContext<Parvester>, "vars" | "allHosts">): void {
  const taken = new Map<string, string>([
    ...(serverAddress === undefined ? [] : [[oneSpelling(serverAddress), "the var serverAddress has it"] as const]),
    ...(nodeIp === undefined ? [] : [[oneSpelling(nodeIp), "the var nodeIp has it"] as const]),
    ...allHosts.map(({ name, address }) => [oneSpelling(address), `the host ${name} has it`] as const),
  ]);
  for (const [machine, { nics }] of Object.entries(machines))
    for (const [index, { address }] of nics.entries()) {
      const owner = address === undefined ? undefined : taken.get(oneSpelling(address.split("/")[0] ?? ""));
      if (owner !== undefined)
        throw new FurrowError("E_VARS", {
          what: `the address in the var "machines.${machine}.nics.${index}.address" is already taken: ${owner}`,
          current: address ?? "",
          expected: "an address that nothing else in the network uses",
          hint: `Give the machine ${machine} another address`,
        });
    }
}

/** The shortest spelling of an IPv6 address; anything else unchanged (RFC 5952, WHATWG URL 3.5). */
function oneSpelling(address: string): string {
  const url = `http://[${address}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address;
}
