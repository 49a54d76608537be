import { z } from "zod";
import { parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, resourcesOf } from "../discovery.ts";
import { failureOf } from "../failures.ts";
import type { LiveObject } from "../live-object.ts";

/** The identity of an object in a cluster, as `kubeIdentity` returns it. */
export interface Identity {
  readonly namespace?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/**
 * The objects that would be deleted with an object: everything in a namespace, or all objects of a kind. As text, such
 * as `3 ConfigMap, 1 Secret`; empty if nothing else would be deleted. Does not count the objects in `besides`, or what
 * they own. If `besides` is "deleted", some of those objects may already be gone: an object does not count if it has
 * owners and none of them still exists. Throws FurrowError E_DRIVER if any list cannot be read completely.
 */
export async function contentsOf(
  cluster: Cluster,
  live: LiveObject,
  besides: readonly Identity[] | "deleted" = [],
): Promise<string> {
  const found: Contained[] = [];
  if (live.kind === "Namespace" && live.apiVersion === "v1") {
    for (const version of await preferredVersions(cluster)) {
      for (const resource of (await resourcesOf(cluster, version)) ?? []) {
        if (!resource.namespaced || !resource.verbs.includes("list") || passing.has(resource.plural)) continue;
        const path = pathOf(version, resource, undefined, live.metadata.name);
        const { kind, plural } = resource;
        found.push(...(await objectsIn(cluster, { path, kind, plural, group: groupOf(version) }, live.metadata.name)));
      }
    }
  }
  if (live.kind === "CustomResourceDefinition") {
    const { group, names, versions } = definition.parse(live).spec;
    const version = versions.find(({ served }) => served)?.name;
    if (version !== undefined)
      found.push(...(await objectsIn(cluster, { path: `/apis/${group}/${version}/${names.plural}`, ...names, group })));
  }
  const counts = new Map<string, Set<string>>();
  const gone = goneBefore(found, besides);
  for (const { kind, uid, isMade } of found) {
    if (!isMade && !gone.has(uid)) counts.set(kind, (counts.get(kind) ?? new Set()).add(uid));
  }
  return [...counts].map(([kind, uids]) => `${uids.size} ${kind}`).join(", ");
}

function groupOf(version: string): string {
  return version.includes("/") ? (version.split("/")[0] ?? "") : "";
}

/** The uids of the objects that are deleted first, and of those that the cluster then deletes as their dependents. */
function goneBefore(found: readonly Contained[], besides: readonly Identity[] | "deleted"): ReadonlySet<string> {
  const identities = besides === "deleted" ? [] : besides;
  const names = new Set(identities.map(({ namespace, kind, name }) => JSON.stringify([namespace, kind, name])));
  const gone = new Set(found.filter(({ identity }) => names.has(identity)).map(({ uid }) => uid));
  const there = new Set(found.map(({ uid }) => uid));
  const isGone = (owner: string): boolean => gone.has(owner) || (besides === "deleted" && !there.has(owner));
  const isOrphan = ({ uid, owners }: Contained): boolean => !gone.has(uid) && owners.length > 0 && owners.every(isGone);
  for (let next = found.filter(isOrphan); next.length > 0; next = found.filter(isOrphan)) {
    for (const { uid } of next) gone.add(uid);
  }
  return gone;
}

/** Kinds whose objects do not count as lost: the cluster itself creates and removes them. */
const passing: ReadonlySet<string> = new Set(["events", "endpoints", "endpointslices", "leases"]);

const definition = z.looseObject({
  spec: z.looseObject({
    group: z.string().min(1),
    names: z.looseObject({ plural: z.string().min(1), kind: z.string().min(1), listKind: z.string().optional() }),
    versions: z.array(z.looseObject({ name: z.string().min(1), served: z.boolean() })),
  }),
});

const item = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1),
    namespace: z.string().optional(),
    uid: z.string().min(1),
    ownerReferences: z.array(z.looseObject({ uid: z.string().min(1) })).default([]),
  }),
  type: z.string().optional(),
});

interface Contained {
  readonly kind: string;
  readonly uid: string;
  /** The object's namespace, kind and name, as text. */
  readonly identity: string;
  /** The uids of the object's owners. When the last owner is deleted, so is the object. */
  readonly owners: readonly string[];
  /** True for an object that the cluster creates in every namespace. */
  readonly isMade: boolean;
}

/** A list of all objects of a kind. */
interface Listing {
  readonly path: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  /** The kind of the list itself, if it is known. */
  readonly listKind?: string | undefined;
}

async function objectsIn(cluster: Cluster, listing: Listing, space?: string): Promise<readonly Contained[]> {
  const { path, kind, group } = listing;
  const doing = `count the objects of kind ${kind}`;
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  if ("error" in answer) throw failureOf(doing, cluster.server, answer.error);
  if (
    answer.kind !== `${kind}List` &&
    answer.kind !== (listing.listKind ?? (await listKindOf(cluster, listing, doing)))
  )
    throw failureOf(doing, cluster.server, { code: "not-a-list", message: `the answer is a ${answer.kind}` });
  return answer.items.map((one) => {
    const object = item.safeParse(one).data;
    if (object === undefined)
      throw failureOf(doing, cluster.server, { code: "no-uid", message: "an object has no uid" });
    const { name, namespace, uid, ownerReferences } = object.metadata;
    if (space !== undefined && namespace !== space)
      throw failureOf(doing, cluster.server, {
        code: "other",
        message: `the list contains an object in namespace ${namespace}`,
      });
    const isMade =
      (kind === "ServiceAccount" && name === "default") ||
      (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
      (kind === "Secret" && object.type === "kubernetes.io/service-account-token");
    const identity = JSON.stringify([namespace, group === "" ? kind : `${kind}.${group}`, name]);
    return { kind, uid, identity, owners: ownerReferences.map((owner) => owner.uid), isMade };
  });
}

/** The kind of a list of custom objects, as given in their definition; undefined if no definition gives one. */
async function listKindOf(cluster: Cluster, { plural, group }: Listing, doing: string): Promise<string | undefined> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
  const answer = await cluster.ask({ path }, doing);
  return answer.status === 200 ? definition.safeParse(parsed(answer.body)).data?.spec.names.listKind : undefined;
}

const groups = z.looseObject({
  kind: z.literal("APIGroupList"),
  groups: z.array(z.looseObject({ preferredVersion: z.looseObject({ groupVersion: z.string().min(1) }) })),
});

/** Each group's preferred version, in which all objects of the group are served. */
async function preferredVersions(cluster: Cluster): Promise<string[]> {
  const doing = "find the kinds that a namespace can contain";
  const answer = await cluster.ask({ path: "/apis" }, doing);
  const list = answer.status === 200 ? groups.safeParse(parsed(answer.body)).data : undefined;
  if (list === undefined) throw failureOf(doing, cluster.server, answer);
  return ["v1", ...list.groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
}
