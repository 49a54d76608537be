import { z } from "zod";
import { absent } from "../../../core/facts/symbols.ts";
import {
  type KubeNode,
  type KubePod,
  kubePodKey,
  type KubePods,
  type KubePodsWhere,
} from "../../../facts/controller/kube-pods.ts";
import { parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf, isNotFound } from "../failures.ts";

const owner = z.looseObject({
  kind: z.string().min(1),
  name: z.string().min(1),
  uid: z.string().min(1),
  controller: z.boolean().optional(),
});

const podSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1),
    namespace: z.string().min(1),
    uid: z.string().min(1),
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    ownerReferences: z.array(owner).default([]),
  }),
  spec: z.looseObject({
    nodeName: z.string().optional(),
    volumes: z.array(z.looseObject({ name: z.string().min(1), emptyDir: z.unknown().optional() })).default([]),
  }),
  status: z.looseObject({ phase: z.string().default("Unknown") }).default({ phase: "Unknown" }),
});

type Pod = z.output<typeof podSchema>;

/**
 * Reads pods. Throws FurrowError E_DRIVER if they cannot be read, or if the list is incomplete or contains other pods.
 * Pods of DaemonSets and mirror pods are recognized in the same way as in `kubectl drain`
 * (https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/).
 */
export async function readPods(cluster: Cluster, where: KubePodsWhere): Promise<KubePods> {
  const found = "node" in where ? await podsOn(cluster, where.node) : await podNamed(cluster, where);
  const statics = found.filter(({ metadata }) => mirror in metadata.annotations);
  const onNode = "node" in where ? found : [];
  const daemons = onNode.filter((pod) => controllerOf(pod)?.kind === "DaemonSet");
  const disks = onNode.filter((pod) => isDiskOf(pod, onNode));
  const storage = onNode.filter(({ metadata }) => csiHelpers.has(metadata.labels["app"] ?? ""));
  const left = new Set([...statics, ...daemons, ...disks, ...storage]);
  const others = found.filter((pod) => !left.has(pod));
  const details = others.map(detailsOf);
  return {
    pods: Object.fromEntries(others.map((pod) => [kubePodKey(detailsOf(pod)), doingOf(pod)])),
    details: Object.fromEntries(details.map((pod) => [kubePodKey(pod), pod])),
    daemons: daemons.map(nameOf).toSorted(),
    statics: statics.map(nameOf).toSorted(),
    disks: disks.map(nameOf).toSorted(),
    storage: storage.map(nameOf).toSorted(),
  };
}

const mirror = "kubernetes.io/config.mirror";

/**
 * The `app` labels of the pods that Harvester and Longhorn leave on a node while it is drained, because these pods
 * attach and detach the volumes of the other pods (harvester/harvester, pkg/util/drainhelper).
 */
const csiHelpers: ReadonlySet<string> = new Set(["csi-attacher", "csi-provisioner"]);

/**
 * True for a pod with which KubeVirt attaches a disk to a running machine, as long as the machine's own pod, which owns
 * this pod, is on the node. The machine's disruption budget does not protect this pod: the server would evict it at
 * once, and the machine would get I/O errors (kubevirt/kubevirt#13523).
 */
function isDiskOf(pod: Pod, onNode: readonly Pod[]): boolean {
  const machine = controllerOf(pod);
  if (pod.metadata.labels["kubevirt.io"] !== "hotplug-disk" || machine?.kind !== "Pod") return false;
  return onNode.some((one) => one.metadata.uid === machine.uid && !hasFinished(one));
}

function hasFinished({ status: { phase } }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

async function podsOn(cluster: Cluster, node: string): Promise<readonly Pod[]> {
  const doing = `list the pods on ${node}`;
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const ask = (page: string) => cluster.ask({ path: `${page}&fieldSelector=${selector}` }, doing);
  const answer = await readList("/api/v1/pods", ask);
  if ("error" in answer) throw failureOf(doing, cluster.server, answer.error);
  if (answer.kind !== "PodList") throw failureOf(doing, cluster.server, unusable);
  return answer.items.map((item) => {
    const pod = podSchema.safeParse(item).data;
    if (pod === undefined) throw failureOf(doing, cluster.server, unusable);
    // With a server that ignores the selector, furrow would evict the pods of all nodes.
    if (pod.spec.nodeName !== node) {
      const message = `the answer contains ${nameOf(pod)}, which is not on ${node}`;
      throw failureOf(doing, cluster.server, { code: "other-node", message });
    }
    return pod;
  });
}

async function podNamed(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly Pod[]> {
  const doing = `read Pod ${namespace}/${name}`;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const answer = await cluster.ask({ path }, doing);
  if (isNotFound(answer, name)) return [];
  const pod = answer.status === 200 ? podSchema.safeParse(parsed(answer.body)).data : undefined;
  if (pod?.["kind"] !== "Pod" || pod.metadata.name !== name || pod.metadata.namespace !== namespace) {
    throw failureOf(doing, cluster.server, answer.status === 200 ? unusable : answer);
  }
  return [pod];
}

const unusable = { code: "not-a-pod", message: "the response does not contain the requested pods" };

function controllerOf({ metadata }: Pod): Pod["metadata"]["ownerReferences"][number] | undefined {
  return metadata.ownerReferences.find(({ controller }) => controller === true);
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function detailsOf(pod: Pod): KubePod {
  const { namespace, name, uid, deletionTimestamp, finalizers } = pod.metadata;
  const controller = controllerOf(pod);
  return {
    namespace,
    name,
    uid,
    controller: controller === undefined ? absent : `${controller.kind} ${controller.name}`,
    emptyDirs: pod.spec.volumes.filter((one) => one.emptyDir !== undefined).map((one) => one.name),
    isFinished: hasFinished(pod),
    deleting: deletionTimestamp === undefined ? absent : finalizers,
  };
}

function doingOf({ metadata, status }: Pod): string {
  return metadata.deletionTimestamp === undefined ? status.phase : "being deleted";
}

const nodeSchema = z.looseObject({
  kind: z.literal("Node"),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ unschedulable: z.boolean().default(false) }).default({ unschedulable: false }),
});

/**
 * Reads whether a node exists, and whether it accepts new pods. Throws FurrowError E_DRIVER if the node cannot be read.
 */
export async function readNode(cluster: Cluster, name: string): Promise<KubeNode> {
  const doing = `read Node ${name}`;
  const answer = await cluster.ask({ path: `/api/v1/nodes/${encodeURIComponent(name)}` }, doing);
  if (isNotFound(answer, name)) return { exists: false, isSchedulable: false };
  const node = answer.status === 200 ? nodeSchema.safeParse(parsed(answer.body)).data : undefined;
  if (node?.metadata.name !== name) {
    throw failureOf(doing, cluster.server, answer.status === 200 ? notANode : answer);
  }
  return { exists: true, isSchedulable: !node.spec.unschedulable };
}

const notANode = { code: "not-a-node", message: "the response does not contain the requested node" };
