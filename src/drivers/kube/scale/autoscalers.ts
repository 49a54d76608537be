import { z } from "zod";
import { kubeName, type KubeObjectData } from "../../../facts/controller/kube-object.ts";
import type { KubeAutoscaler, KubeAutoscalers } from "../../../facts/controller/kube-scale.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { findResource, pathOf, versionsThatServe } from "../discovery.ts";
import { failureOf } from "../failures.ts";

const kind = "HorizontalPodAutoscaler";

/** The fields that all versions of the kind share. */
const autoscaler = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1),
    ownerReferences: z
      .array(z.looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string().min(1) }))
      .default([]),
  }),
  spec: z.looseObject({
    scaleTargetRef: z.looseObject({
      apiVersion: z.string().optional(),
      kind: z.string().min(1),
      name: z.string().min(1),
    }),
    minReplicas: z.int().min(0).default(1),
  }),
});

/**
 * Reads which autoscalers control an object's number of replicas. If the user is not allowed to read the list, the
 * answer says so, because the playbook's author may accept that. Throws FurrowError E_DRIVER for any other failure, and
 * for an incomplete list.
 */
export async function readAutoscalers(cluster: Cluster, object: KubeObjectData): Promise<KubeAutoscalers> {
  const { namespace } = object.metadata;
  const doing = `find the autoscalers of ${kubeName(object)}`;
  const apiVersion = await servedVersion(cluster);
  const resource = apiVersion === undefined ? undefined : await findResource(cluster, apiVersion, kind);
  // A cluster without this kind has no autoscalers.
  if (apiVersion === undefined || resource === undefined) return { autoscalers: [] };
  const path = pathOf(apiVersion, resource, undefined, namespace);
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  if ("error" in answer) {
    if (answer.error.code !== "HTTP 403") throw failureOf(doing, cluster.server, answer.error);
    return { autoscalers: [], problem: unseen(object, answer.error.message) };
  }
  if (answer.kind !== `${kind}List`) throw failureOf(doing, cluster.server, unusable);
  const found = answer.items.map((item) => {
    const one = autoscaler.safeParse(item).data;
    if (one === undefined) throw failureOf(doing, cluster.server, unusable);
    return one;
  });
  return {
    autoscalers: found.filter(({ spec }) => isAbout(spec.scaleTargetRef, object)).map(choiceOf),
  };
}

/**
 * KEDA gives its autoscalers a minimum of at least 1, but itself scales objects to 0 replicas and back up
 * (kedacore/keda, pkg/scaling/executor/scale_scaledobjects.go).
 */
function choiceOf({ metadata: { name, ownerReferences }, spec }: z.output<typeof autoscaler>): KubeAutoscaler {
  const scaled = ownerReferences.find(
    ({ apiVersion, kind: own }) => own === "ScaledObject" && groupOf(apiVersion) === "keda.sh",
  );
  return scaled === undefined ? { name, least: spec.minReplicas } : { name, least: 0, scaledObject: scaled.name };
}

async function servedVersion(cluster: Cluster): Promise<string | undefined> {
  const usual = "autoscaling/v1";
  if ((await findResource(cluster, usual, kind)) !== undefined) return usual;
  return (await versionsThatServe(cluster, usual, kind))[0];
}

/** An autoscaler may refer to its target by any API version of the kind's group. */
function isAbout(
  target: { readonly apiVersion?: string | undefined; readonly kind: string; readonly name: string },
  { apiVersion, kind: own, metadata }: KubeObjectData,
): boolean {
  if (target.kind !== own || target.name !== metadata.name) return false;
  return target.apiVersion === undefined || groupOf(target.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

function unseen(object: KubeObjectData, message: string): NonNullable<KubeAutoscalers["problem"]> {
  return {
    code: "autoscalers-unseen",
    message: `furrow cannot tell whether an autoscaler controls the number of replicas of ${kubeName(object)}: ${message}`,
    hint: `Give the user permission to list horizontalpodautoscalers, or set allowAutoscaler: true if an autoscaler would not matter`,
  };
}

const unusable = { code: "not-an-autoscaler", message: "an autoscaler in the list has no valid scaleTargetRef" };
