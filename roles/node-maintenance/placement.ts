import type { InstanceObject } from "../cluster-answers/instance-objects.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { matchingNodes } from "../vm-networks/matching.ts";

type Term = NonNullable<InstanceObject["affinity"]>[number];
type Requirement = Term["matchExpressions"][number];

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

/** A term without requirements matches no node (Kubernetes' NodeSelectorTerm). */
function fits({ matchExpressions, matchFields }: Term, { name, labels }: NodeObject): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => holds(one, labels)) &&
    matchFields.every((one) => holds(one, { "metadata.name": name }))
  );
}

/** An operator that furrow does not know matches no node. */
function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const own = labels[key];
  const [first = ""] = values;
  switch (operator) {
    case "In":
      return own !== undefined && values.includes(own);
    case "NotIn":
      return own === undefined || !values.includes(own);
    case "Exists":
      return own !== undefined;
    case "DoesNotExist":
      return own === undefined;
    case "Gt":
      return own !== undefined && Number(own) > Number(first);
    case "Lt":
      return own !== undefined && Number(own) < Number(first);
    default:
      return false;
  }
}
