import type { InstanceObject } from "../cluster-answers/instance-objects.ts";
import { fits } from "../cluster-answers/nodes/terms.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { matchingNodes } from "../vm-networks/matching.ts";

/** The other nodes to which a machine could move, as Harvester sees it (pkg/controller/master/nodedrain). */
export function destinationsOf(
  { selector, affinity, node }: InstanceObject,
  nodes: readonly NodeObject[],
): readonly NodeObject[] {
  return matchingNodes(nodes, { nodes: selector }).filter(
    (one) =>
      one.name !== node &&
      one.ready &&
      !one.cordoned &&
      !one.maintained &&
      (affinity === undefined || affinity.some((term) => fits(term, one))),
  );
}
