import type { NodeObject } from "../cluster-answers/objects.ts";

/** The label of a node that only votes in etcd: Harvester sets up no cluster network on such a node. */
const witnessLabel = "node-role.harvesterhci.io/witness";

/** The nodes that a network config connects: those with all of its labels, except witnesses. */
export function matchingNodes(
  nodes: readonly NodeObject[],
  { nodes: selector }: { readonly nodes: Readonly<Record<string, string>> },
): NodeObject[] {
  const wanted = Object.entries(selector);
  return nodes.filter(
    ({ labels }) => !(witnessLabel in labels) && wanted.every(([label, value]) => labels[label] === value),
  );
}
