import type { Seen, ListName } from "../cluster-answers/answers.ts";
import { isUnwritten } from "../cluster-answers/longhorn/volumes.ts";
import { fits } from "../cluster-answers/nodes/terms.ts";
import type { NodeObject, PersistentVolumeObject, ReplicaObject, VolumeObject } from "../cluster-answers/objects.ts";
import { placeProblem } from "./replica-places.ts";

/** The lists that show what would be lost with a node. */
export const lossLists = [
  "nodes",
  "instances",
  "machines",
  "volumes",
  "replicas",
  "longhornNodes",
  "persistentVolumes",
] as const satisfies readonly ListName[];

type Cluster = Seen<(typeof lossLists)[number]>;

/** A volume that would be lost, why, and which virtual machines use it. */
export interface LostVolume {
  readonly name: string;
  /** Undefined if the volume is not listed. */
  readonly sizeBytes: number | undefined;
  readonly why: string;
  readonly machines: readonly string[];
}

/** What would be lost with a node. */
export interface Loss {
  readonly volumes: readonly LostVolume[];
  /**
   * Virtual machines that would be lost even if no volume were lost: they are on the node, and nothing would restart
   * them.
   */
  readonly machines: readonly string[];
}

/**
 * Simulates the loss of a node to find the volumes that would be left without a healthy replica on another node that is
 * up, on a disk that Longhorn can rely on. A volume that was never attached has no data to lose.
 */
export function lossOf(node: string, cluster: Cluster): Loss {
  const { volumes, replicas, persistentVolumes, instances, machines } = cluster;
  const sizes = new Map(volumes.map(({ name, sizeBytes }) => [name, sizeBytes]));
  const lost = new Map<string, string>();
  for (const volume of volumes) {
    const own = replicas.filter((replica) => replica.volume === volume.name);
    const why = isUnwritten(volume, own) ? undefined : whyLost(volume, own, node, cluster);
    if (why !== undefined) lost.set(volume.name, why);
  }
  for (const { volume, node: place } of replicas) {
    if (!sizes.has(volume) && !lost.has(volume))
      lost.set(
        volume,
        `Longhorn has a replica of it${place === "" ? "" : ` on ${place}`}, but does not list the volume`,
      );
  }
  for (const own of persistentVolumes) {
    const why = own.longhorn === undefined ? whyLocal(own, node, cluster.nodes) : unlisted(own.longhorn, sizes);
    if (why !== undefined) lost.set(own.longhorn ?? own.name, why);
  }
  const defined = new Set(machines.map(({ name }) => name));
  return {
    volumes: [...lost]
      .map(([name, why]) => ({ name, why, sizeBytes: sizes.get(name), machines: usersOf(name, cluster) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    machines: instances
      .filter(({ name, running, node: place }) => running && place === node && !defined.has(name))
      .map(({ name }) => name)
      .toSorted(),
  };
}

/** Says why a volume would be lost with a node; undefined if it would not be. */
function whyLost(
  { state, robustness }: VolumeObject,
  replicas: readonly ReplicaObject[],
  node: string,
  { nodes, longhornNodes }: Cluster,
): string | undefined {
  if (robustness === "faulted") return "it is faulted: Longhorn knows of no healthy replica of it";
  const healthy = replicas.filter((replica) => replica.healthy && isAlive(replica, state));
  const others = healthy.filter((replica) => replica.node !== node);
  const problems = others.map((replica) => downText(replica.node, nodes) ?? placeProblem(replica, longhornNodes));
  if (problems.includes(undefined)) return undefined;
  if (replicas.length === 0) return "Longhorn lists no replica of it";
  if (healthy.length === 0) return "none of its replicas is healthy";
  const places = [...new Set(healthy.map((replica) => replica.node))].toSorted();
  const only = healthy.length === 1 ? "its only healthy replica is" : "its healthy replicas are all";
  return [`${only} on ${places.join(" and ")}`, ...new Set(problems)].join(", and ");
}

/** Says why a node would not keep the data that is on it; undefined if it would. */
export function downText(name: string, nodes: readonly NodeObject[]): string | undefined {
  const own = nodes.find((one) => one.name === name);
  if (own === undefined) return `the cluster does not list ${name}`;
  if (own.isLeaving) return `${name} is being removed`;
  return own.ready ? undefined : `${name} is down`;
}

/**
 * True if the state of a replica's process matches the state of its volume. A replica that should run but does not is
 * failing.
 */
function isAlive({ state }: ReplicaObject, volume: string): boolean {
  return state === "running" || (volume !== "attached" && ["stopped", "starting", "stopping"].includes(state));
}

function unlisted(handle: string, listed: ReadonlyMap<string, number>): string | undefined {
  return listed.has(handle) ? undefined : "a persistent volume uses it, but Longhorn does not list it";
}

/**
 * Says why a volume that Longhorn does not manage would be lost with a node; undefined if it would not be. The nodes
 * that can use the volume show where its data is.
 */
function whyLocal(
  { isFolder, places }: PersistentVolumeObject,
  node: string,
  nodes: readonly NodeObject[],
): string | undefined {
  if (places === undefined) return isFolder ? "its data is in a directory on an unspecified node" : undefined;
  const fitting = nodes.filter((one) => places.some((term) => fits(term, one)));
  if (fitting.length === 0) return "its node affinity matches no node in the list, so its data may be on any node";
  const others = fitting.filter(({ name }) => name !== node);
  if (others.length === fitting.length) return undefined;
  if (others.length === 0) return `its data is on ${node} alone`;
  const names = fitting.map(({ name }) => name).join(" or ");
  if (isFolder) return `its data is in a directory on ${names}`;
  const problems = others.map(({ name }) => downText(name, nodes));
  return problems.includes(undefined) ? undefined : [`its data is on ${names}`, ...problems].join(", and ");
}

/** Returns the virtual machines that use a volume, running or not. */
function usersOf(volume: string, { persistentVolumes, machines, instances }: Cluster): string[] {
  const claims = new Set(
    persistentVolumes.flatMap(({ name, longhorn, claim }) =>
      (longhorn ?? name) === volume && claim !== undefined ? [claim] : [],
    ),
  );
  const users = [...machines, ...instances].filter((one) => one.claims.some((claim) => claims.has(claim)));
  return [...new Set(users.map(({ name }) => name))].toSorted();
}

/** Lists lost volumes in a sentence: each with its size, the reason, and the virtual machines that use it. */
export function lostText(volumes: readonly LostVolume[]): string {
  return volumes
    .map(({ name, why, sizeBytes, machines }) => {
      const size = sizeBytes === undefined ? [] : [`${Math.round((sizeBytes / 2 ** 30) * 10) / 10} GiB`];
      const users = machines.length > 0 ? [`used by ${machines.join(", ")}`] : [];
      return `${name} (${[...size, why, ...users].join("; ")})`;
    })
    .join(", ");
}
