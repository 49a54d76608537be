import { z } from "zod";
import { kubeName, type KubeObjectData } from "../../../facts/controller/kube-object.ts";
import type { KubeEnding } from "../../../facts/controller/kube-scale.ts";
import { parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { findResource, type Resource } from "../discovery.ts";
import { failureOf } from "../failures.ts";
import { scalePath } from "./scale.ts";

const selecting = z.looseObject({
  kind: z.literal("Scale"),
  status: z.looseObject({ selector: z.string().min(1) }),
});

const pod = z.looseObject({
  metadata: z.looseObject({ name: z.string().min(1), deletionTimestamp: z.string().optional() }),
});

/**
 * Reads which pods of an object are being deleted: a Deployment and a ReplicaSet no longer count them, although they
 * still run. Throws FurrowError E_DRIVER if the server does not answer.
 */
export async function readEnding(cluster: Cluster, object: KubeObjectData): Promise<KubeEnding> {
  const resource = await findResource(cluster, object.apiVersion, object.kind);
  return resource === undefined
    ? { pods: [], unseen: "the server does not serve its kind" }
    : endingPods(cluster, resource, object);
}

/** The same, for an object whose resource is known. */
export async function endingPods(cluster: Cluster, resource: Resource, object: KubeObjectData): Promise<KubeEnding> {
  const { namespace } = object.metadata;
  const doing = `list the pods of ${kubeName(object)}`;
  const answer = await cluster.ask({ path: scalePath(resource, object) }, doing);
  const selector = answer.status === 200 ? selecting.safeParse(parsed(answer.body)).data?.status.selector : undefined;
  if (selector === undefined || namespace === undefined)
    return { pods: [], unseen: "its scale does not report their labels" };
  const labels = encodeURIComponent(selector);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const listed = await readList(path, (page) => cluster.ask({ path: `${page}&labelSelector=${labels}` }, doing));
  if ("error" in listed) {
    if (listed.error.code !== "HTTP 403") throw failureOf(doing, cluster.server, listed.error);
    return { pods: [], unseen: listed.error.message };
  }
  if (listed.kind !== "PodList") throw failureOf(doing, cluster.server, unusable);
  const found = listed.items.map((item) => {
    const one = pod.safeParse(item).data;
    if (one === undefined) throw failureOf(doing, cluster.server, unusable);
    return one.metadata;
  });
  return {
    pods: found
      .filter(({ deletionTimestamp }) => deletionTimestamp !== undefined)
      .map(({ name }) => name)
      .toSorted(),
  };
}

const unusable = { code: "not-a-pod", message: "the response does not contain the requested pods" };
