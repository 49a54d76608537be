import type { LonghornDisk, LonghornNodeObject } from "../cluster-answers/longhorn/objects.ts";
import type { ReplicaObject } from "../cluster-answers/objects.ts";

/**
 * Says why Longhorn cannot rely on the disk that a replica is on; undefined if it can. While a volume is detached,
 * Longhorn does not notice that a replica's disk has failed, and still calls the replica healthy. A disk that takes no
 * more replicas keeps those that it has.
 */
export function placeProblem(
  { node, disk: id }: Pick<ReplicaObject, "node" | "disk">,
  nodes: readonly LonghornNodeObject[],
): string | undefined {
  const own = nodes.find(({ name }) => name === node);
  if (own === undefined) return `Longhorn does not list ${node}`;
  if (!isReady(own)) return `Longhorn on ${node} is not ready`;
  if (own.isEmptied) return `Longhorn is moving all replicas away from ${node}`;
  const [disk, other] = own.disks.filter(({ seen }) => seen?.id === id);
  if (disk === undefined) return `Longhorn does not list the disk of this replica on ${node}`;
  return other === undefined ? diskProblem(disk) : `Longhorn gives two disks of ${node} the same ID`;
}

function diskProblem({ node, name, isEmptied, seen }: LonghornDisk): string | undefined {
  const disk = `the disk ${name} of ${node}`;
  if (seen === undefined || !isReady(seen)) return `${disk} is not ready`;
  if (seen.health.includes("FAILED")) return `${disk} reports that it is failing`;
  return isEmptied ? `Longhorn is moving all replicas away from ${disk}` : undefined;
}

function isReady({ conditions }: Pick<LonghornNodeObject, "conditions">): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
