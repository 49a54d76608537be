import { z } from "zod";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { kubeName, type KubeObjectData, type KubeProblem } from "../../../facts/controller/kube-object.ts";
import type { KubeRehearsal, KubeScale } from "../../../facts/controller/kube-scale.ts";
import { type ApiAnswer, type ApiRequest, messageOf, parsed } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { findResource, pathOf, type Resource, whileServed } from "../discovery.ts";
import { failureOf, isUnasked, problemOf } from "../failures.ts";
import type { LiveObject } from "../live-object.ts";
import { readLive } from "../live-read.ts";
import { unscalable, whyNoKind, whyNoObject } from "./problems.ts";
import { countsReady } from "./ready-count.ts";

/** The answer for an object that cannot be scaled. */
const nothing = { replicas: absent, running: absent, ready: absent, isOutdated: false } as const;

/** Reads how many replicas an object has, or why it cannot be scaled. Throws E_DRIVER if the object cannot be read. */
export async function readScale(cluster: Cluster, object: KubeObjectData): Promise<KubeScale> {
  const scale = await whileServed(cluster, object, (resource) => readServed(cluster, resource, object));
  return scale ?? refused(await whyNoKind(cluster, object), false);
}

function refused(problem: KubeProblem, exists: boolean): KubeScale {
  return { ...nothing, exists, problem };
}

async function readServed(cluster: Cluster, resource: Resource, object: KubeObjectData): Promise<KubeScale> {
  const problem = unscalable(resource, object);
  if (problem !== undefined) return refused(problem, false);
  const live = await readLive(cluster, resource, { object });
  if (live === undefined) return refused(await whyNoObject(cluster, resource, object), false);
  if (live.metadata.deletionTimestamp !== undefined) return refused(deleting(object, live), true);
  return (await readNumbers(cluster, resource, object, live)).scale;
}

function deleting(object: KubeObjectData, { metadata: { finalizers } }: LiveObject): KubeProblem {
  return {
    code: "being-deleted",
    message: `${kubeName(object)} is being deleted${finalizers.length === 0 ? "" : `, and waits for ${finalizers.join(", ")}`}`,
    hint: "Rerun after it has been re-created, or remove this task",
  };
}

const count = z.int().min(0);

/** The replica count in the `scale` subresource, which omits the field if the count is 0. */
const scaleCount = count.default(0);

/**
 * The `scale` subresource, which is the same for all kinds: https://kubernetes.io/docs/reference/kubernetes-api
 * (Scale).
 */
const scaleSchema = z.looseObject({
  kind: z.literal("Scale"),
  metadata: z.looseObject({ name: z.string().min(1), uid: z.string().min(1), resourceVersion: z.string().min(1) }),
  spec: z.looseObject({ replicas: scaleCount }).default({ replicas: 0 }),
  status: z.looseObject({ replicas: scaleCount }).default({ replicas: 0 }),
});

const versioned = z.looseObject({ resourceVersion: z.string().min(1), generation: z.number().optional() });

const reported = z.looseObject({ observedGeneration: z.number().optional(), readyReplicas: count.optional() });

/** The numbers of replicas, and the version of the object that has them. */
export interface Numbers {
  readonly scale: KubeScale;
  readonly resourceVersion: string;
}

/**
 * Reads the numbers of replicas of an object that was just read. Throws FurrowError E_DRIVER if they belong
 * to another object.
 */
export async function readNumbers(
  cluster: Cluster,
  resource: Resource,
  object: KubeObjectData,
  live: LiveObject,
): Promise<Numbers> {
  const doing = `read the number of replicas of ${kubeName(object)}`;
  const { uid } = live.metadata;
  const own = versioned.safeParse(live.metadata).data;
  const status = reported.safeParse(isRecord(live["status"]) ? live["status"] : {}).data;
  if (own === undefined || status === undefined) throw failureOf(doing, cluster.server, unusable);
  const { generation } = own;
  const { observedGeneration: observed, readyReplicas } = status;
  // The server omits a 0.
  const ready = readyReplicas ?? ((await countsReady(cluster, object)) ? 0 : absent);
  const common: Omit<KubeScale, "replicas" | "running"> = {
    exists: true,
    uid,
    ready,
    isOutdated: generation !== undefined && observed !== undefined && observed < generation,
  };
  const answer = await cluster.ask({ path: scalePath(resource, object) }, doing);
  // The API's message for a custom object whose desired number of replicas is not set.
  if (answer.status === 500 && /spec replicas field .* does not exist/.test(messageOf(answer.body))) {
    const scale: KubeScale = { ...common, replicas: absent, running: 0 };
    return { scale, resourceVersion: own.resourceVersion };
  }
  const found = answer.status === 200 ? scaleSchema.safeParse(parsed(answer.body)).data : undefined;
  if (found === undefined) throw failureOf(doing, cluster.server, answer.status === 200 ? unusable : answer);
  if (found.metadata.uid !== uid || found.metadata.name !== object.metadata.name)
    throw failureOf(doing, cluster.server, replaced);
  const scale = { ...common, replicas: found.spec.replicas, running: found.status.replicas };
  return { scale, resourceVersion: found.metadata.resourceVersion };
}

const unusable = { code: "not-a-scale", message: "the response is not a Scale of the Kubernetes API" };

/** The error for an object that was replaced by a different one of the same name. */
export const replaced = {
  code: "replaced",
  message: "it was deleted, or replaced by a different object of the same name",
};

/** The path of an object's `scale` subresource. */
export function scalePath(resource: Resource, { apiVersion, metadata }: KubeObjectData): string {
  return `${pathOf(apiVersion, resource, metadata.name, metadata.namespace)}/scale`;
}

/**
 * The request that changes the number: a merge patch, which needs the same permission as `kubectl scale`. With a
 * resourceVersion, the server refuses it (409) if the object has changed since.
 */
export function scaleRequest(
  resource: Resource,
  object: KubeObjectData,
  replicas: number,
  resourceVersion?: string,
): ApiRequest {
  const isDryRun = resourceVersion === undefined;
  return {
    method: "PATCH",
    path: `${scalePath(resource, object)}${isDryRun ? "?dryRun=All" : ""}`,
    contentType: "application/merge-patch+json",
    body: { ...(!isDryRun && { metadata: { resourceVersion } }), spec: { replicas } },
  };
}

/** Asks the server, in a dry run, whether it would set this number. */
export async function rehearseScale(
  cluster: Cluster,
  object: KubeObjectData,
  replicas: number,
): Promise<KubeRehearsal> {
  const doing = `ask whether ${kubeName(object)} can be scaled`;
  const resource = await findResource(cluster, object.apiVersion, object.kind);
  if (resource === undefined) return { problem: await whyNoKind(cluster, object) };
  const answer = await cluster.ask(scaleRequest(resource, object, replicas), doing);
  return rehearsalOf(answer, object, doing, cluster);
}

function rehearsalOf(answer: ApiAnswer, object: KubeObjectData, doing: string, { server }: Cluster): KubeRehearsal {
  if (answer.status === 200) return {};
  if (isUnasked(answer)) return { unasked: messageOf(answer.body) };
  const problem = problemOf(answer, kubeName(object));
  if (problem === undefined) throw failureOf(doing, server, answer);
  return { problem };
}
