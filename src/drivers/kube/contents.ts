import { z } from "zod";
import { parsed, readList } from "../kubernetes-list.ts";
import type { Cluster } from "./cluster.ts";
import { pathOf, resourcesOf } from "./discovery.ts";
import { failureOf } from "./failures.ts";
import type { LiveObject } from "./live-object.ts";

/**
 * What the deletion of an object also deletes: everything in a namespace, or all objects of a kind. In words, as in
 * `3 ConfigMap, 1 Secret`; empty if there is nothing. Throws FurrowError E_DRIVER if any list cannot be read completely.
 */
export async function contentsOf(cluster: Cluster, live: LiveObject): Promise<string> {
  const counts = new Map<string, Set<string>>();
  const count = async (path: string, kind: string): Promise<void> => {
    for (const { uid, isMade } of await objectsIn(cluster, path, kind)) {
      if (!isMade) counts.set(kind, (counts.get(kind) ?? new Set()).add(uid));
    }
  };
  if (live.kind === "Namespace" && live.apiVersion === "v1") {
    for (const version of await preferredVersions(cluster)) {
      for (const resource of (await resourcesOf(cluster, version)) ?? []) {
        if (!resource.namespaced || !resource.verbs.includes("list") || passing.has(resource.plural)) continue;
        await count(pathOf(version, resource, undefined, live.metadata.name), resource.kind);
      }
    }
  }
  if (live.kind === "CustomResourceDefinition") {
    const { group, names, versions } = definition.parse(live).spec;
    const version = versions.find(({ served }) => served)?.name;
    if (version !== undefined) await count(`/apis/${group}/${version}/${names.plural}`, names.kind);
  }
  return [...counts].map(([kind, uids]) => `${uids.size} ${kind}`).join(", ");
}

/** Lists that say nothing about what would be lost: the cluster itself writes and removes their objects. */
const passing: ReadonlySet<string> = new Set(["events", "endpoints", "endpointslices", "leases"]);

const definition = z.looseObject({
  spec: z.looseObject({
    group: z.string().min(1),
    names: z.looseObject({ plural: z.string().min(1), kind: z.string().min(1) }),
    versions: z.array(z.looseObject({ name: z.string().min(1), served: z.boolean() })),
  }),
});

const item = z.looseObject({
  metadata: z.looseObject({ name: z.string().min(1), uid: z.string().min(1) }),
  type: z.string().optional(),
});

interface Contained {
  readonly uid: string;
  /** True for an object that the cluster makes in every namespace. */
  readonly isMade: boolean;
}

async function objectsIn(cluster: Cluster, path: string, kind: string): Promise<readonly Contained[]> {
  const doing = `count the objects of the kind ${kind}`;
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  if ("error" in answer) throw failureOf(doing, cluster.server, answer.error);
  return answer.items.map((one) => {
    const object = item.safeParse(one).data;
    if (object === undefined)
      throw failureOf(doing, cluster.server, { code: "no-uid", message: "an object has no uid" });
    const { name, uid } = object.metadata;
    const isMade =
      (kind === "ServiceAccount" && name === "default") ||
      (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
      (kind === "Secret" && object.type === "kubernetes.io/service-account-token");
    return { uid, isMade };
  });
}

const groups = z.looseObject({
  kind: z.literal("APIGroupList"),
  groups: z.array(z.looseObject({ preferredVersion: z.looseObject({ groupVersion: z.string().min(1) }) })),
});

/** The version that each group prefers: every object is served in it. */
async function preferredVersions(cluster: Cluster): Promise<string[]> {
  const doing = "find the kinds that a namespace can contain";
  const answer = await cluster.ask({ path: "/apis" }, doing);
  const list = answer.status === 200 ? groups.safeParse(parsed(answer.body)).data : undefined;
  if (list === undefined) throw failureOf(doing, cluster.server, answer);
  return ["v1", ...list.groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
}
