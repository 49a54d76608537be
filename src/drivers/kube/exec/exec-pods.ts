import { z } from "zod";
import type { KubeExecPod, KubeExecPods, KubeExecWhere } from "../../../facts/controller/kube-exec.ts";
import { messageOf, parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf, isNotFound } from "../failures.ts";

const reasonOnly = z.looseObject({ reason: z.string().default("") });
const state = z.looseObject({
  running: z.unknown().optional(),
  waiting: reasonOnly.optional(),
  terminated: reasonOnly.optional(),
});
const statuses = z.array(z.looseObject({ name: z.string(), state: state.default({}) })).default([]);
const containers = z.array(z.looseObject({ name: z.string().min(1) })).default([]);
const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
});

const podSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1),
    namespace: z.string().min(1),
    uid: z.string().min(1),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({ containers, initContainers: containers, ephemeralContainers: containers }),
  status: z
    .looseObject({
      phase: z.string().default("Unknown"),
      reason: z.string().default(""),
      message: z.string().default(""),
      conditions: z.array(condition).default([]),
      containerStatuses: statuses,
      initContainerStatuses: statuses,
      ephemeralContainerStatuses: statuses,
    })
    .default({
      phase: "Unknown",
      reason: "",
      message: "",
      conditions: [],
      containerStatuses: [],
      initContainerStatuses: [],
      ephemeralContainerStatuses: [],
    }),
});

type Pod = z.output<typeof podSchema>;

/**
 * Reads the pods in which commands may run, and asks the server whether the user may run commands in them. Throws
 * FurrowError E_DRIVER if the pods cannot be read, or if the list is incomplete or contains other pods.
 */
export async function readExecPods(cluster: Cluster, where: KubeExecWhere): Promise<KubeExecPods> {
  const found = "name" in where ? await podNamed(cluster, where.namespace, where.name) : await labelled(cluster, where);
  const sorted = found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const pods = sorted.map(async (pod) => ({ ...viewOf(pod), ...(await rightsOf(cluster, pod)) }));
  return { pods: await Promise.all(pods) };
}

/** Reads one pod; returns an empty list if it does not exist. */
async function podNamed(cluster: Cluster, namespace: string, name: string): Promise<readonly Pod[]> {
  const doing = `read Pod ${namespace}/${name}`;
  const answer = await cluster.ask({ path: `${podsPath(namespace)}/${encodeURIComponent(name)}` }, doing);
  if (isNotFound(answer, name)) return [];
  const pod = answer.status === 200 ? podSchema.safeParse(parsed(answer.body)).data : undefined;
  if (pod?.["kind"] !== "Pod" || pod.metadata.name !== name || pod.metadata.namespace !== namespace) {
    throw failureOf(doing, cluster.server, answer.status === 200 ? unusable : answer);
  }
  return [pod];
}

/** The current uid of a pod; undefined if the pod does not exist. */
export async function uidOf(cluster: Cluster, namespace: string, name: string): Promise<string | undefined> {
  return (await podNamed(cluster, namespace, name))[0]?.metadata.uid;
}

async function labelled(
  cluster: Cluster,
  { namespace, labels }: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
): Promise<readonly Pod[]> {
  const wanted = Object.entries(labels);
  const selector = wanted.map(([key, value]) => `${key}=${value}`).join(",");
  const doing = `list the pods with ${selector} in ${namespace}`;
  const ask = (page: string) => cluster.ask({ path: `${page}&labelSelector=${encodeURIComponent(selector)}` }, doing);
  const answer = await readList(podsPath(namespace), ask);
  if ("error" in answer) throw failureOf(doing, cluster.server, answer.error);
  if (answer.kind !== "PodList") throw failureOf(doing, cluster.server, unusable);
  return answer.items.map((item) => {
    const pod = podSchema.safeParse(item).data;
    // With a server that ignores the selector, the command would run in all pods.
    const isAsked = wanted.every(([key, value]) => pod?.metadata.labels[key] === value);
    if (pod === undefined || !isAsked || pod.metadata.namespace !== namespace)
      throw failureOf(doing, cluster.server, unusable);
    return pod;
  });
}

const podsPath = (namespace: string): string => `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;

const unusable = { code: "not-a-pod", message: "the response does not contain the requested pods" };

function viewOf({ metadata, spec, status }: Pod): KubeExecPod {
  const states = [...status.containerStatuses, ...status.initContainerStatuses, ...status.ephemeralContainerStatuses];
  // Init containers are listed only while they are running: most of them have finished for good.
  const running = new Set(states.filter((one) => one.state.running !== undefined).map(({ name }) => name));
  const others = [...spec.initContainers, ...spec.ephemeralContainers].filter(({ name }) => running.has(name));
  const named = [...spec.containers, ...others].map(({ name }) => {
    const own = states.find((one) => one.name === name)?.state;
    const reason = own?.waiting?.reason ?? own?.terminated?.reason ?? "";
    const otherwise = own?.terminated === undefined ? "not started" : "ended";
    return [name, running.has(name) ? "running" : reason === "" ? otherwise : `${otherwise}: ${reason}`] as const;
  });
  const bad = status.conditions.find((one) => one.status !== "True" && one.reason !== "");
  const reason = [status.reason || bad?.reason, status.message || bad?.message].filter(Boolean).join(": ");
  const preferred = metadata.annotations["kubectl.kubernetes.io/default-container"];
  return {
    name: metadata.name,
    uid: metadata.uid,
    phase: status.phase,
    reason,
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    containers: Object.fromEntries(named),
    ...(preferred !== undefined && { defaultContainer: preferred }),
  };
}

const review = z.looseObject({
  kind: z.literal("SelfSubjectAccessReview"),
  status: z.looseObject({ allowed: z.boolean(), reason: z.string().default("") }),
});

/** Whether the user may run commands in a pod, and if not, why. */
async function rightsOf(cluster: Cluster, pod: Pod): Promise<{ readonly forbidden?: string }> {
  // Commands are sent in a GET request, which then becomes a WebSocket.
  const get = await refusalOf(cluster, pod, "get");
  if (get !== undefined) return { forbidden: get };
  const create = await refusalOf(cluster, pod, "create");
  return create !== undefined && (await needsCreate(cluster)) ? { forbidden: create } : {};
}

/** The reason why the user lacks this permission; undefined if the user has it, or is not allowed to ask. */
async function refusalOf(cluster: Cluster, { metadata }: Pod, verb: "get" | "create"): Promise<string | undefined> {
  const { namespace, name } = metadata;
  const resourceAttributes = { namespace, name, verb, resource: "pods", subresource: "exec" };
  const answer = await cluster.ask(
    {
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      method: "POST",
      body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
    },
    `ask whether commands may run in Pod ${namespace}/${name}`,
  );
  // If the user is not allowed to ask, the command itself shows whether it is permitted.
  if (answer.status === 403) return undefined;
  const said = answer.status === 201 ? review.safeParse(parsed(answer.body)).data : undefined;
  if (said === undefined) {
    const current = answer.status === 201 ? { code: "not-a-review", message: messageOf(answer.body) } : answer;
    throw failureOf(`ask whether commands may run in Pod ${namespace}/${name}`, cluster.server, current);
  }
  if (said.status.allowed) return undefined;
  const lacking = `the user lacks the permission ${verb} for pods/exec`;
  return said.status.reason === "" ? lacking : `${lacking}: ${said.status.reason}`;
}

const versionSchema = z.looseObject({ major: z.string().regex(/^\d+$/), minor: z.string().regex(/^\d+/) });

/** The first minor version of Kubernetes 1 in which a WebSocket to a pod needs the permission `create` too. */
const createSince = 35;

/** True if the server is, or may be, one that requires the permission `create` for commands. */
async function needsCreate(cluster: Cluster): Promise<boolean> {
  const answer = await cluster.ask({ path: "/version" }, "find the server's version");
  const version = answer.status === 200 ? versionSchema.safeParse(parsed(answer.body)).data : undefined;
  return version === undefined || Number(version.major) > 1 || Number.parseInt(version.minor, 10) >= createSince;
}
