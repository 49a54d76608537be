import { type Refusal, refuse, z } from "../../src/authoring.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import type { MetalNode } from "./metal.ts";

/**
 * Refuses a cluster whose nodes differ, in their names or their addresses, from those in the vars. A cluster also lists
 * nodes that are off. An address in the vars is compared only if it is an IP address, not a host name.
 */
export function otherNodes(
  kubeconfig: string,
  wanted: readonly MetalNode[],
  { nodes }: Seen<"nodes">,
): Refusal | undefined {
  const [listed, found] = [wanted, nodes].map((all) => all.map(({ name }) => name).toSorted()) as [string[], string[]];
  const missing = listed.filter((name) => !found.includes(name));
  const more = found.filter((name) => !listed.includes(name));
  if (missing.length > 0 || more.length > 0) {
    const differences = [
      ...(missing.length > 0 ? [`the cluster does not have ${missing.join(", ")}`] : []),
      ...(more.length > 0 ? [`the vars do not list ${more.join(", ")}`] : []),
    ];
    return differ(kubeconfig, differences, found.join(", ") || "no nodes", listed.join(", "), "");
  }
  const moved = wanted.flatMap((node) => {
    const address = node.internalAddress ?? node.address;
    const own = nodes.find(({ name }) => name === node.name)?.addresses ?? [];
    if (!isAddress(address) || own.length === 0 || own.some((one) => canonical(one) === canonical(address))) return [];
    return [{ name: node.name, address, own: own.join(" and ") }];
  });
  if (moved.length === 0) return undefined;
  return differ(
    kubeconfig,
    moved.map(({ name, address, own }) => `${name} is at ${own}, not at ${address}`),
    moved.map(({ name, own }) => `${name} at ${own}`).join(", "),
    moved.map(({ name, address }) => `${name} at ${address}`).join(", "),
    "If furrow reaches a node at a different address than the other nodes do, set the node's `internalAddress`. ",
  );
}

function differ(
  kubeconfig: string,
  differences: readonly string[],
  current: string,
  expected: string,
  before: string,
): Refusal {
  return refuse({
    code: "nodes-differ",
    message: `the cluster of the kubeconfig ${kubeconfig} does not have the nodes in the vars: ${differences.join("; ")}`,
    current,
    expected,
    hint: `${before}Use the kubeconfig of the cluster that runs on these machines, and list all its nodes in \`nodes\`; force=true switches the machines in \`nodes\` off without asking any cluster`,
  });
}

function isAddress(text: string): boolean {
  return z.union([z.ipv4(), z.ipv6()]).safeParse(text).success;
}

/** Returns an address in a spelling that can be compared. */
function canonical(address: string): string {
  return z.ipv6().safeParse(address).success ? new URL(`http://[${address}]`).hostname : address;
}
