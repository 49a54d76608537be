import type { Cluster } from "./cluster-fields.ts";
import { counted, isOrAre } from "./count.ts";

/** Says that a cluster has more nodes than data disks; undefined if each node has one. */
export function missingDisks({ nodes, disks }: Pick<Cluster, "nodes" | "disks">): string | undefined {
  const given = disks.length;
  if (given >= nodes) return undefined;
  const need = nodes === 1 ? "needs" : "need";
  return `${counted(nodes, "node")} ${need} ${counted(nodes, "data disk")}, but only ${given} ${isOrAre(given)} given`;
}
