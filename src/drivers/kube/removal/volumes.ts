import { z } from "zod";
import { isKubeOwn } from "../../../facts/controller/kube-kind.ts";
import { kubeVolumeKinds } from "../../../facts/controller/kube-volumes.ts";
import type { Cluster } from "../cluster.ts";
import { findResource, pathOf, versionsThatServe } from "../discovery.ts";
import { Forbidden } from "../failures.ts";
import type { LiveObject } from "../live-object.ts";
import { goneBefore, type Identity } from "./gone-before.ts";
import { type Contained, groupOf, objectsIn, type Owner } from "./listing.ts";

/** Kubernetes' own kinds that run pods. No other kind of Kubernetes itself can own volumes. */
const workloads: ReadonlySet<string> = new Set([
  "CronJob",
  "DaemonSet",
  "Deployment",
  "Job",
  "Pod",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
]);

/**
 * The volumes that the cluster deletes together with an object, because only the object owns them, directly or through
 * other objects. Returned as text, with their sizes; empty if the cluster deletes none. Does not count the objects in
 * `besides`, or what they own. If the user is not allowed to read a list, the text says so. Throws FurrowError E_DRIVER
 * if a list cannot be read completely for any other reason.
 */
export async function volumesOf(cluster: Cluster, live: LiveObject, besides: readonly Identity[]): Promise<string> {
  if (isKubeOwn(live) && !workloads.has(live.kind)) return "";
  try {
    return named(await ownedVolumes(cluster, live, besides));
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    const { what, current = "" } = error.failure;
    return `possibly volumes (furrow ${what}: ${current})`;
  }
}

async function ownedVolumes(
  cluster: Cluster,
  { metadata: { uid, namespace } }: LiveObject,
  besides: readonly Identity[],
): Promise<readonly Contained[]> {
  const lists = await Promise.all(kubeVolumeKinds.map((kind) => objectsOf(cluster, kind, namespace)));
  const volumes = lists.flat();
  const found = await withOwners(cluster, volumes, uid, namespace);
  const gone = goneBefore(found, besides);
  const lost = lostWith(uid, found);
  return volumes.filter((one) => lost.has(one.uid) && !gone.has(one.uid));
}

/**
 * The volumes, and all objects of the kinds that own them, directly or through others. Does not look for the owners of
 * the object with the uid `last`.
 */
async function withOwners(
  cluster: Cluster,
  volumes: readonly Contained[],
  last: string,
  namespace: string | undefined,
): Promise<readonly Contained[]> {
  const found = new Map(volumes.map((one) => [one.uid, one]));
  const listed = new Set(kubeVolumeKinds.map(keyOf));
  const followed = new Set([last]);
  for (let level = volumes; level.length > 0;) {
    const owners = level.flatMap((one) => one.owners).filter(({ uid }) => !followed.has(uid));
    const kinds = new Map(owners.map((owner) => [keyOf(owner), owner]));
    const added = [...kinds].filter(([key, { kind }]) => kind !== "" && !listed.has(key));
    const lists = await Promise.all(added.map(([, kind]) => objectsOf(cluster, kind, namespace)));
    for (const [key] of added) listed.add(key);
    for (const one of lists.flat()) found.set(one.uid, one);
    for (const { uid } of owners) followed.add(uid);
    level = [...new Set(owners.map(({ uid }) => found.get(uid)))].filter((one) => one !== undefined);
  }
  return [...found.values()];
}

/**
 * The uids of the objects that the cluster deletes with the object `uid`: each has an owner that is deleted, and no
 * owner that stays.
 */
function lostWith(uid: string, found: readonly Contained[]): ReadonlySet<string> {
  const there = new Set(found.map((one) => one.uid));
  const lost = new Set([uid]);
  const isLost = (one: Contained): boolean =>
    !lost.has(one.uid) &&
    one.owners.some((owner) => lost.has(owner.uid)) &&
    one.owners.every((owner) => lost.has(owner.uid) || !there.has(owner.uid));
  for (let next = found.filter(isLost); next.length > 0; next = found.filter(isLost)) {
    for (const one of next) lost.add(one.uid);
  }
  return lost;
}

/** All objects of a kind; none if the server does not serve the kind in any version. */
async function objectsOf(
  cluster: Cluster,
  { apiVersion, kind }: Pick<Owner, "apiVersion" | "kind">,
  namespace: string | undefined,
): Promise<readonly Contained[]> {
  const isServed = (await findResource(cluster, apiVersion, kind)) !== undefined;
  const version = isServed ? apiVersion : (await versionsThatServe(cluster, apiVersion, kind))[0];
  const resource = version === undefined ? undefined : await findResource(cluster, version, kind);
  if (version === undefined || resource === undefined) return [];
  // An object in a namespace never owns a cluster-scoped object.
  if (namespace !== undefined && !resource.namespaced) return [];
  const path = pathOf(version, resource, undefined, namespace);
  return objectsIn(cluster, { path, kind, plural: resource.plural, group: groupOf(version) }, namespace);
}

/** A kind and its group, as a map key. */
function keyOf({ apiVersion, kind }: Pick<Owner, "apiVersion" | "kind">): string {
  return `${kind}.${groupOf(apiVersion)}`;
}

/** The maximum number of names in a message. */
const mostNames = 10;

function named(volumes: readonly Contained[]): string {
  const names = volumes.map(({ kind, namespace, name, sent }) => {
    const size = sizeOf(sent);
    return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}${size === undefined ? "" : ` (${size})`}`;
  });
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : "";
  return `${names.toSorted().slice(0, mostNames).join(", ")}${more}`;
}

const size = z.looseObject({ storage: z.string().optional() }).optional();

const claim = z.looseObject({
  spec: z.looseObject({ resources: z.looseObject({ requests: size }).optional() }).optional(),
  status: z.looseObject({ capacity: size }).optional(),
});

/** The size of a volume; undefined if the object does not give it. */
function sizeOf(sent: Contained["sent"]): string | undefined {
  const { spec, status } = claim.safeParse(sent).data ?? {};
  return status?.capacity?.storage ?? spec?.resources?.requests?.storage;
}
