import type { Absent } from "../../core/facts/symbols.ts";
import { type ControllerFact, exactly, type FactPattern, type Json, onlyRead } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";
import { clusterOf, type KubeCluster, kubeListOf, kubeOf } from "./kube-object.ts";
import type { KubeRehearsal } from "./kube-scale.ts";

/** The selected pods: one by its name, or all on a node. */
export type KubePodsWhere = { readonly node: string } | { readonly namespace: string; readonly name: string };

/** A pod that may be evicted. */
export interface KubePod {
  readonly namespace: string;
  readonly name: string;
  /** The pod's identity: a pod that is re-created under the same name has a different one. */
  readonly uid: string;
  /** What re-creates the pod: `ReplicaSet web-5d4f`; absent if nothing does. */
  readonly controller: string | Absent;
  /** The names of the volumes that are lost with the pod. */
  readonly emptyDirs: readonly string[];
  /** True if the pod has succeeded or failed, so nothing in it is running. */
  readonly isFinished: boolean;
  /** The finalizers that the pod is waiting for, if it is being deleted. */
  readonly deleting: readonly string[] | Absent;
}

/** Pods, except those that cannot be evicted. */
export interface KubePods {
  /** The state of each pod, such as `Running`, by its name and its uid: `shop/web-1 (0a1b…)`. */
  readonly pods: Readonly<Record<string, string | Absent>>;
  /** The same pods, with the details that an eviction needs. */
  readonly details: Readonly<Record<string, KubePod>>;
  /**
   * The names of pods that a DaemonSet would re-create on the same node; empty if the question is about one named pod.
   */
  readonly daemons: readonly string[];
  /** The names of pods that the node's kubelet runs from its own files (mirror pods). */
  readonly statics: readonly string[];
  /**
   * The names of pods that hold disks of machines on the node, and leave the node together with those machines; empty
   * if the question is about one named pod.
   */
  readonly disks: readonly string[];
  /** The names of pods that attach and create volumes for other pods; empty if the question is about one named pod. */
  readonly storage: readonly string[];
}

/** The properties of a node that matter for pods. */
export interface KubeNode {
  readonly exists: boolean;
  /** True if the node accepts new pods. */
  readonly isSchedulable: boolean;
}

/** The server's response to a dry run of evictions. */
export interface KubeEvictable extends KubeRehearsal {
  /** The pods that cannot be evicted at the moment, each with the reason. */
  readonly blocked: readonly string[];
}

/** The identity of a pod that will be evicted. */
export type KubeVictim = Pick<KubePod, "namespace" | "name" | "uid">;

/** Asks which pods exist. */
export function kubePods(cluster: KubeCluster, where: KubePodsWhere): ControllerFact<KubePods> {
  return { driver: "kubernetes", request: { of: ofPods(cluster, where), pods: where } };
}

/** Asks whether a node exists, and whether it accepts new pods. */
export function kubeNode(cluster: KubeCluster, name: string): ControllerFact<KubeNode> {
  const of = kubeOf({ ...clusterOf(cluster), object: { apiVersion: "v1", kind: "Node", metadata: { name } } });
  return onlyRead({ driver: "kubernetes", request: { of, node: name } });
}

/** Asks the server, in a dry run, whether it would evict these pods. Pods that no longer exist are skipped. */
export function kubeEvictable(
  cluster: KubeCluster,
  where: KubePodsWhere,
  victims: readonly KubePod[],
): ControllerFact<KubeEvictable> {
  const evicting = { where, victims: victims.map(victimOf) };
  return onlyRead({ driver: "kubernetes", request: { of: ofPods(cluster, where), evicting } });
}

/**
 * The facts about a dry run of evictions. The note of the task that asks for the dry run needs these facts as they were
 * before the task.
 */
export function kubeFactsOfEvictions(cluster: KubeCluster, where: KubePodsWhere): FactPattern {
  return `kubernetes:{"of":${exactly(JSON.stringify(ofPods(cluster, where)))},"evicting":**`;
}

/** How pods are evicted. */
export interface KubeEviction {
  readonly victims: readonly KubePod[];
  /** The grace period of a pod in seconds; default: the pod's own setting. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly deadlineSeconds: number;
}

/** A step that evicts pods, and waits until they are gone. */
export function kubeEvictPods(
  cluster: KubeCluster,
  where: KubePodsWhere,
  { victims, gracePeriodSeconds, deadlineSeconds }: KubeEviction,
): CallStep {
  const count = victims.length === 1 ? "1 pod" : `${victims.length} pods`;
  const label = "node" in where ? `evict ${count} from ${where.node}` : `evict pod ${where.namespace}/${where.name}`;
  const evict = {
    where,
    victims: victims.map(victimOf),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    deadlineSeconds,
  };
  return { step: "call", driver: "kubernetes", request: { of: ofPods(cluster, where), evict }, label };
}

/** The name of a pod and its uid, in the form of the keys in {@link KubePods}. */
export function kubePodKey({ namespace, name, uid }: KubeVictim): string {
  return `${namespace}/${name} (${uid})`;
}

function victimOf({ namespace, name, uid }: KubePod): { [k: string]: Json } {
  return { namespace, name, uid };
}

function ofPods(cluster: KubeCluster, where: KubePodsWhere): { [k: string]: Json } {
  if ("node" in where) return kubeListOf(clusterOf(cluster), "Pod");
  return kubeOf({ ...clusterOf(cluster), object: { apiVersion: "v1", kind: "Pod", metadata: where } });
}
