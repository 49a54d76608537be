import type { Cluster } from "./cluster-fields.ts";
import { counted, isOrAre } from "./count.ts";

/**
 * Returns a message if a cluster has more nodes than data disks; undefined if each node has a disk. A disk's position
 * is the number of its node, so a removed node still needs an entry, unless only removed nodes come after it.
 */
export function missingDisks({
  nodes,
  removedNodes,
  disks,
}: Pick<Cluster, "nodes" | "removedNodes" | "disks">): string | undefined {
  const given = disks.length;
  const last = Math.max(...Array.from({ length: nodes }, (_, at) => (removedNodes.includes(at + 1) ? 0 : at + 1)));
  if (given >= last) return undefined;
  const need = last === 1 ? "needs" : "need";
  return `${counted(last, "node")} ${need} ${counted(last, "data disk")}, but only ${given} ${isOrAre(given)} given`;
}
