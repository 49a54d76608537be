import type { Seen, ListName } from "../cluster-answers/answers.ts";
import type { PersistentVolumeObject, ReplicaObject, VolumeObject } from "../cluster-answers/objects.ts";

/** The lists that show what a node's loss would cost. */
export const lossLists = [
  "nodes",
  "instances",
  "machines",
  "volumes",
  "replicas",
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
  /** Virtual machines that would be lost even if no volume is: they are on the node, and nothing would restart them. */
  readonly machines: readonly string[];
}

/** Simulates the loss of a node: which volumes would be left without a healthy replica on another node that is up. */
export function lossOf(node: string, cluster: Cluster): Loss {
  const { volumes, replicas, persistentVolumes, nodes, instances, machines } = cluster;
  const up = new Set(nodes.filter(({ ready, name }) => ready && name !== node).map(({ name }) => name));
  const sizes = new Map(volumes.map(({ name, sizeBytes }) => [name, sizeBytes]));
  const lost = new Map<string, string>();
  for (const volume of volumes) {
    const why = whyLost(
      volume,
      replicas.filter((replica) => replica.volume === volume.name),
      node,
      up,
    );
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
    const why = own.longhorn === undefined ? whyLocal(own, node) : unlisted(own.longhorn, sizes);
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
  up: ReadonlySet<string>,
): string | undefined {
  if (robustness === "faulted") return "it is faulted: Longhorn knows no healthy replica of it";
  const healthy = replicas.filter((replica) => replica.healthy && replica.node !== "" && isAlive(replica, state));
  if (healthy.some((replica) => up.has(replica.node))) return undefined;
  if (replicas.length === 0) return "Longhorn lists no replica of it";
  if (healthy.length === 0) return "none of its replicas is healthy";
  const places = [...new Set(healthy.map((replica) => replica.node))].toSorted();
  const down = places.filter((place) => place !== node);
  const only = healthy.length === 1 ? "its only healthy replica is" : "its healthy replicas are all";
  return `${only} on ${places.join(" and ")}${down.length > 0 ? `, and ${down.join(" and ")} is down` : ""}`;
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

/** Says why a volume that Longhorn does not manage would be lost with a node; undefined if it would not be. */
function whyLocal({ somewhere, places }: PersistentVolumeObject, node: string): string | undefined {
  if (somewhere) return "its data is in a directory on a node that it does not specify";
  const isOnlyHere = (names: readonly (readonly string[])[]): boolean =>
    names.some((all) => all.length > 0 && all.every((name) => name === node));
  return places.length > 0 && places.every(isOnlyHere) ? `its data is on ${node} alone` : undefined;
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
