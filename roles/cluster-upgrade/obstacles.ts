import { refuse, type Refusal } from "../../src/authoring.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import { etcdMembers } from "../cluster-answers/nodes/etcd-members.ts";
import type { NodeSpace } from "../cluster-answers/nodes/space.ts";
import { counted } from "../cluster/count.ts";
import { lossLists, lossOf, lostText } from "../node-removal/loss.ts";

/** The lists that show whether a cluster can be upgraded. */
export const upgradeLists = [...lossLists, "upgrades"] as const;

type Cluster = Seen<(typeof upgradeLists)[number]>;

const gib = 2 ** 30;

/** The size of the images that an upgrade loads onto each node (pkg/webhook/resources/upgrade/validator.go). */
const imageBytes = 13 * gib;
/**
 * Above this percentage, the kubelet deletes images that are not in use, including the new ones (Kubernetes' default).
 */
const mostPercent = 85;
/** The free space that Harvester's documentation requires on each node (`df -h /usr/local/`). */
const leastFreeBytes = 30 * gib;

/**
 * Returns the first reason not to upgrade a cluster: what Harvester's own admission check refuses, and volumes that
 * would be unavailable while one of the nodes is restarting.
 */
export function upgradeObstacle(
  expected: readonly string[],
  cluster: Cluster,
  space: readonly NodeSpace[],
): Refusal | undefined {
  return (
    missingNodes(expected, cluster) ??
    nodesNotReady(cluster) ??
    volumesAtRisk(cluster) ??
    machinesBound(cluster) ??
    nodesTooFull(space)
  );
}

function missingNodes(expected: readonly string[], { nodes }: Cluster): Refusal | undefined {
  const missing = expected.filter((name) => !nodes.some((node) => node.name === name));
  if (missing.length === 0) return undefined;
  return refuse({
    code: "nodes-missing",
    message: `the cluster does not have ${missing.join(", ")}`,
    current: nodes.map(({ name }) => name).join(", "),
    expected: expected.join(", "),
    hint: "Set `nodes` to the number of nodes, or finish the playbook that adds or replaces a node",
  });
}

function nodesNotReady({ nodes }: Cluster): Refusal | undefined {
  const members = etcdMembers(nodes);
  const wrong = nodes.flatMap(({ name, ready, cordoned, maintained }) => {
    const etcd = members.find((member) => member.name === name)?.why ?? "";
    const why = [ready ? "" : "not ready", maintained ? "in maintenance" : "", cordoned ? "cordoned" : "", etcd];
    const text = why.filter(Boolean).join(", ");
    return text === "" ? [] : [`${name} (${text})`];
  });
  if (wrong.length === 0) return undefined;
  return refuse({
    code: "nodes-not-ready",
    message: `not every node is ready for an upgrade: ${wrong.join(", ")}`,
    hint: "Start the node or its etcd (journalctl -u rke2-server), end its maintenance in Harvester, or uncordon it",
  });
}

function volumesAtRisk(cluster: Cluster): Refusal | undefined {
  const { nodes, volumes } = cluster;
  const several = nodes.length > 1;
  const weak = volumes.filter(({ robustness }) => robustness === "faulted" || (several && robustness === "degraded"));
  if (weak.length > 0) {
    return refuse({
      code: "volumes-unhealthy",
      message: `volumes are not healthy: ${weak.map(({ name, robustness }) => `${name} (${robustness})`).join(", ")}`,
      hint: "Wait until Longhorn has rebuilt their replicas, or restore or delete them",
    });
  }
  // A single node keeps its volumes during a restart. A cluster of several nodes must be able to do without any one of
  // them.
  const leaving = several ? nodes.map(({ name }) => name) : [""];
  const ownVolumes = new Set([
    ...volumes.map(({ name }) => name),
    ...cluster.replicas.map(({ volume }) => volume),
    ...cluster.persistentVolumes.flatMap(({ longhorn }) => longhorn ?? []),
  ]);
  for (const node of leaving) {
    // Local storage is available again as soon as its node is back.
    const lost = lossOf(node, cluster).volumes.filter(({ name }) => ownVolumes.has(name));
    if (lost.length > 0) {
      return refuse({
        code: "volumes-out-of-reach",
        message: `${node === "" ? "volumes have no healthy replica" : `${counted(lost.length, "volume")} would be out of reach while ${node} restarts`}: ${lostText(lost)}`,
        hint: "Give each volume a healthy replica on a second node, or delete it after a backup",
      });
    }
  }
  return undefined;
}

function machinesBound({ nodes, instances }: Cluster): Refusal | undefined {
  if (nodes.length === 1) return undefined;
  const bound = instances.filter((one) => one.running && one.bound !== undefined);
  if (bound.length === 0) return undefined;
  return refuse({
    code: "machines-bound",
    message: `virtual machines cannot move to another node: ${bound.map(({ name, bound: why }) => `${name} (${why})`).join(", ")}`,
    hint: "Shut them down for the upgrade",
  });
}

function nodesTooFull(space: readonly NodeSpace[]): Refusal | undefined {
  const wrong = space.flatMap(({ node, capacityBytes, usedBytes, availableBytes }) => {
    const percent = ((usedBytes + imageBytes) / capacityBytes) * 100;
    if (availableBytes < leastFreeBytes)
      return [`${node} has ${inGib(availableBytes)} free, but ${inGib(leastFreeBytes)} are needed`];
    return percent > mostPercent
      ? [
          `${node} would be ${Math.ceil(percent)} percent full with the new images, but only ${mostPercent} percent is allowed`,
        ]
      : [];
  });
  if (wrong.length === 0) return undefined;
  return refuse({
    code: "nodes-too-full",
    message: `nodes have too little space for the new release: ${wrong.join("; ")}`,
    hint: "Free space below /usr/local on the node: crictl rmi --prune removes images that are not in use",
  });
}

function inGib(bytes: number): string {
  return `${Math.floor((bytes / gib) * 10) / 10} GiB`;
}
