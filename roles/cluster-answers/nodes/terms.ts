import { z } from "../../../src/authoring.ts";

const requirements = z
  .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) }))
  .default([]);

/** A term of a node affinity (Kubernetes' NodeSelectorTerm). */
export const nodeTerm = z.looseObject({ matchExpressions: requirements, matchFields: requirements });

type Requirement = z.output<typeof requirements>[number];

/** True if a node has everything that a term requires. A term without requirements matches no node. */
export function fits(
  { matchExpressions, matchFields }: z.output<typeof nodeTerm>,
  { name, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
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
