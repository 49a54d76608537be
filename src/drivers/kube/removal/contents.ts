import { z } from "zod";
import { parsed } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, resourcesOf } from "../discovery.ts";
import { failureOf } from "../failures.ts";
import type { LiveObject } from "../live-object.ts";
import { goneBefore, type Identity } from "./gone-before.ts";
import { type Contained, definition, groupOf, type Listing, objectsIn } from "./listing.ts";
import { volumesOf } from "./volumes.ts";

/**
 * The objects that would be deleted with an object: everything in a namespace, all objects of a kind, or the volumes
 * that only the object owns. Returned as text, such as `3 ConfigMap, 1 Secret`; empty if nothing else would be deleted.
 * Does not count the objects in `besides`, or what they own. If `besides` is "deleted", some of those objects may
 * already be gone: an object does not count if it has owners and none of them still exists. Throws FurrowError E_DRIVER
 * if any list cannot be read completely.
 */
export async function contentsOf(
  cluster: Cluster,
  live: LiveObject,
  besides: readonly Identity[] | "deleted" = [],
): Promise<string> {
  if (live.kind === "Namespace" && live.apiVersion === "v1") {
    const space = live.metadata.name;
    const listings = await listingsIn(cluster, space);
    const found = await Promise.all(listings.map((listing) => objectsIn(cluster, listing, space)));
    return counted(found.flat(), besides);
  }
  if (live.kind !== "CustomResourceDefinition") return volumesOf(cluster, live, besides === "deleted" ? [] : besides);
  const { group, names, versions } = definition.parse(live).spec;
  const version = versions.find(({ served }) => served)?.name;
  if (version === undefined)
    return `an unknown number of ${names.kind} (the server serves no version of this kind, so furrow cannot count them)`;
  const listing = { path: `/apis/${group}/${version}/${names.plural}`, ...names, group };
  return counted(await objectsIn(cluster, listing), besides);
}

/** The number of objects of each kind, as text. */
function counted(found: readonly Contained[], besides: readonly Identity[] | "deleted"): string {
  const counts = new Map<string, Set<string>>();
  const gone = goneBefore(found, besides);
  for (const one of found) {
    const { kind, uid } = one;
    if (!isMade(one) && !gone.has(uid)) counts.set(kind, (counts.get(kind) ?? new Set()).add(uid));
  }
  return [...counts].map(([kind, uids]) => `${uids.size} ${kind}`).join(", ");
}

/** True for an object that the cluster creates in every namespace. */
function isMade({ kind, name, sent }: Contained): boolean {
  return (
    (kind === "ServiceAccount" && name === "default") ||
    (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
    (kind === "Secret" && sent["type"] === "kubernetes.io/service-account-token")
  );
}

/** Kinds, with their groups, whose objects do not count as lost: the cluster itself creates and removes them. */
const passing: ReadonlySet<string> = new Set([
  "events.",
  "events.events.k8s.io",
  "endpoints.",
  "endpointslices.discovery.k8s.io",
  "leases.coordination.k8s.io",
]);

/**
 * The lists of everything that is deleted with a namespace. A group may serve some kinds only in versions that it does
 * not prefer, so all its versions count; each kind is listed in one of them.
 */
async function listingsIn(cluster: Cluster, space: string): Promise<readonly Listing[]> {
  const versions = await servedVersions(cluster);
  const served = await Promise.all(versions.map((version) => resourcesOf(cluster, version)));
  const listings = new Map<string, Listing>();
  versions.forEach((version, index) => {
    const group = groupOf(version);
    for (const resource of served[index] ?? []) {
      const { kind, plural, namespaced, verbs } = resource;
      const isDeleted = namespaced && verbs.includes("list") && verbs.includes("delete");
      const key = `${plural}.${group}`;
      if (!isDeleted || passing.has(key) || listings.has(key)) continue;
      listings.set(key, { path: pathOf(version, resource, undefined, space), kind, plural, group });
    }
  });
  return [...listings.values()];
}

const version = z.looseObject({ groupVersion: z.string().min(1) });

const groups = z.looseObject({
  kind: z.literal("APIGroupList"),
  groups: z.array(z.looseObject({ preferredVersion: version, versions: z.array(version) })),
});

/** All versions that a server serves; each group's preferred version precedes its others. */
async function servedVersions(cluster: Cluster): Promise<readonly string[]> {
  const doing = "find the kinds that a namespace can contain";
  const answer = await cluster.ask({ path: "/apis" }, doing);
  const list = answer.status === 200 ? groups.safeParse(parsed(answer.body)).data : undefined;
  if (list === undefined) throw failureOf(doing, cluster.server, answer);
  const all = list.groups.flatMap((group) => [group.preferredVersion, ...group.versions]);
  return ["v1", ...new Set(all.map(({ groupVersion }) => groupVersion))];
}
