import { type ControllerFact, type Json, onlyRead } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";
import { clusterOf, type KubeCluster, kubeListOf, kubeOf } from "./kube-object.ts";

/** The selected pods of a namespace: one by its name, or all with these labels. */
export type KubeExecWhere = { readonly namespace: string } & (
  | { readonly name: string }
  | { readonly labels: Readonly<Record<string, string>> }
);

/** A pod in whose containers commands may run. */
export interface KubeExecPod {
  readonly name: string;
  /** The pod's identity: a pod that is re-created under the same name has a different one. */
  readonly uid: string;
  readonly phase: string;
  /** Why the pod is in this phase, if it reports a reason. */
  readonly reason: string;
  readonly isBeingDeleted: boolean;
  /** The state of each container: `running`, or why it is not running. */
  readonly containers: Readonly<Record<string, string>>;
  /** The container named in the pod's annotation `kubectl.kubernetes.io/default-container`. */
  readonly defaultContainer?: string;
  /** The server's message if the user is not allowed to run commands in the pod. */
  readonly forbidden?: string;
}

/** The pods of a cluster, sorted by name. */
export interface KubeExecPods {
  readonly pods: readonly KubeExecPod[];
}

/** A container of a pod. */
export interface KubeContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
}

/** A command for a container. */
export interface KubeCommand {
  readonly argv: readonly string[];
  /** The time limit in seconds. */
  readonly deadlineSeconds: number;
}

/** The value of a step that runs a command: where the command ran. The command's output becomes the step's output. */
export interface KubeRan {
  readonly pod: string;
  readonly container: string;
}

/** Asks which pods exist, and whether commands may run in them. */
export function kubeExecPods(cluster: KubeCluster, where: KubeExecWhere): ControllerFact<KubeExecPods> {
  return onlyRead({ driver: "kubernetes", request: { of: ofWhere(cluster, where), inside: { ...where } as Json } });
}

/** Runs a command that changes nothing, and returns its result. */
export function kubeTried(
  cluster: KubeCluster,
  target: KubeContainer,
  { argv, deadlineSeconds }: KubeCommand,
): ControllerFact<{ readonly exitCode: number }> {
  const tried = { ...targetOf(target), argv, deadlineSeconds };
  return { driver: "kubernetes", request: { of: ofTarget(cluster, target), tried } };
}

/** A step that runs a command. `stdin` may contain secrets. */
export function kubeRun(
  cluster: KubeCluster,
  target: KubeContainer,
  { argv, deadlineSeconds, okExit, stdin }: KubeCommand & { okExit: readonly number[]; stdin?: string | undefined },
  label: string,
): CallStep {
  const run = { ...targetOf(target), argv, deadlineSeconds, okExit, label, ...(stdin !== undefined && { stdin }) };
  return { step: "call", driver: "kubernetes", request: { of: ofTarget(cluster, target), run }, label };
}

function targetOf({ namespace, pod, uid, container }: KubeContainer): { [k: string]: Json } {
  return { namespace, pod, uid, container };
}

function ofTarget(cluster: KubeCluster, { namespace, pod }: KubeContainer): { [k: string]: Json } {
  return ofWhere(cluster, { namespace, name: pod });
}

function ofWhere(cluster: KubeCluster, where: KubeExecWhere): { [k: string]: Json } {
  const { namespace } = where;
  if (!("name" in where)) return kubeListOf({ ...clusterOf(cluster), namespace }, "Pod");
  const metadata = { namespace, name: where.name };
  return kubeOf({ ...clusterOf(cluster), object: { apiVersion: "v1", kind: "Pod", metadata } });
}
