import type { Cluster } from "./cluster-fields.ts";
import { clusterNodes } from "./nodes.ts";
import { usableIn } from "./usable.ts";

/** One wrong value, with the path of the var. */
export interface AddressProblem {
  readonly path: readonly (string | number)[];
  /** What was expected. */
  readonly message: string;
}

/**
 * Returns the mistakes in the addresses of a cluster's nodes: addresses that no machine can have, and addresses that
 * are assigned to more than one of the nodes, the host and the cluster itself.
 */
export function problemsOfAddresses(cluster: Cluster): AddressProblem[] {
  const { network, adopted } = cluster;
  const usable = usableIn(network.address, network.prefix);
  if (usable === undefined) return [];
  const problems: AddressProblem[] = [];
  const owners = new Map([[network.address, "the host (network.address)"]]);
  for (const { name, index, address } of clusterNodes(cluster)) {
    const isAdopted = adopted[index - 1] !== undefined;
    const path = isAdopted ? ["adopted", index - 1, "address"] : ["network", "firstNode"];
    const owner = owners.get(address);
    const why = usable.has(address)
      ? owner !== undefined && `${owner} has that address too`
      : `machines in ${usable.cidr} can only have addresses from ${usable.first} to ${usable.last}`;
    if (why !== false)
      problems.push({ path, message: `another address, because ${name} would get ${address}, but ${why}` });
    owners.set(address, `the node ${name}`);
  }
  const owner = owners.get(network.vip);
  if (owner !== undefined && network.vip !== network.address)
    problems.push({ path: ["network", "vip"], message: `an address other than ${network.vip}, which ${owner} gets` });
  const seen = new Set<string>();
  return problems.filter(({ path }) => !seen.has(path.join(".")) && seen.add(path.join(".")));
}
