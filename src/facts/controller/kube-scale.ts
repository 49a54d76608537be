import type { Absent } from "../../core/facts/symbols.ts";
import { type ControllerFact, exactly, type FactPattern, onlyRead } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";
import {
  clusterOf,
  type KubeCluster,
  kubeFactsOf,
  kubeListOf,
  kubeName,
  type KubeObjectData,
  kubeOf,
  type KubeProblem,
} from "./kube-object.ts";

/** Identifies an object in a cluster. */
export interface KubeTarget extends KubeCluster {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** How many replicas an object has, according to its `scale` subresource and its status. */
export interface KubeScale {
  readonly exists: boolean;
  /** The number of replicas that the object should have; absent if it does not specify one. */
  readonly replicas: number | Absent;
  /** The number of replicas that the object's controller has created. */
  readonly running: number | Absent;
  /** The number of created replicas that are ready; absent if the kind does not report it. */
  readonly ready: number | Absent;
  /** True if the object was changed after its controller last looked at it. */
  readonly isOutdated: boolean;
  /** The object's identity, so that a change does not affect another object of the same name. */
  readonly uid?: string;
  /** Why the object cannot be scaled: `no-object`, `no-kind`, `no-scale`, … */
  readonly problem?: KubeProblem;
}

/** The pods of an object that are being deleted, but still exist. */
export interface KubeEnding {
  /** Their names. */
  readonly pods: readonly string[];
  /** Why the pods cannot be read. */
  readonly unseen?: string;
}

/** A HorizontalPodAutoscaler that controls an object's number of replicas. */
export interface KubeAutoscaler {
  readonly name: string;
  /** The minimum number of replicas. Unless this is 0, the autoscaler is inactive while the object has 0 replicas. */
  readonly least: number;
  /** The name of KEDA's ScaledObject that manages the autoscaler. */
  readonly scaledObject?: string;
}

/** The autoscalers of an object, or why they cannot be read. */
export interface KubeAutoscalers {
  readonly autoscalers: readonly KubeAutoscaler[];
  readonly problem?: KubeProblem;
}

/** The server's response to a dry run of a change. */
export interface KubeRehearsal {
  /** Why it refuses. */
  readonly problem?: KubeProblem;
  /** Why the dry run could not be performed. */
  readonly unasked?: string;
}

/** Asks how many replicas an object has. */
export function kubeScaled(target: KubeTarget): ControllerFact<KubeScale> {
  return { driver: "kubernetes", request: { of: ofTarget(target), scale: names(target) } };
}

/** Asks which pods of an object are being deleted, but still exist. */
export function kubeEnding(target: KubeTarget): ControllerFact<KubeEnding> {
  return { driver: "kubernetes", request: { of: ofTarget(target), scaleEnding: names(target) } };
}

/** Asks which autoscalers control an object's number of replicas. */
export function kubeAutoscalers(target: KubeTarget): ControllerFact<KubeAutoscalers> {
  const of = kubeListOf(target, "HorizontalPodAutoscaler.autoscaling");
  return onlyRead({ driver: "kubernetes", request: { of, autoscalers: names(target) } });
}

/** Asks the server, in a dry run, whether it would set this number. */
export function kubeScaling(target: KubeTarget, replicas: number): ControllerFact<KubeRehearsal> {
  return onlyRead({ driver: "kubernetes", request: { of: ofTarget(target), scaling: { ...names(target), replicas } } });
}

/** How the number of replicas should change. */
export interface KubeScaleTo {
  readonly replicas: number;
  readonly uid: string;
  /** The number that the object must still have just before the change. */
  readonly currentReplicas?: number | undefined;
  /** The time limit for the controller to apply the change; undefined: furrow does not wait. */
  readonly deadlineSeconds?: number | undefined;
}

/**
 * A step that sets the number of replicas, and then waits for the controller. `isSet`: true if the number is already
 * set, but the controller has not applied it yet.
 */
export function kubeScaleTo(target: KubeTarget, to: KubeScaleTo, isSet: boolean): CallStep {
  const { replicas, uid, currentReplicas, deadlineSeconds } = to;
  const label = `${isSet ? "wait for" : "scale"} ${kubeName(objectOf(target))} ${isSet ? "to have" : "to"} ${replicas}`;
  const change = {
    ...names(target),
    replicas,
    uid,
    ...(currentReplicas !== undefined && { currentReplicas }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
  return { step: "call", driver: "kubernetes", request: { of: ofTarget(target), scale: change }, label };
}

/** The facts that change with an object's number of replicas, except those that contain the number itself. */
export function kubeFactsOfScale(target: KubeTarget): FactPattern[] {
  const own = exactly(JSON.stringify(ofTarget(target)));
  return [
    ...kubeFactsOf({ ...clusterOf(target), object: objectOf(target) }, "present"),
    `!kubernetes:{"of":${own},"scal**`,
    ...kubeFactsOfPods(target),
  ];
}

/** All facts about pods. */
export function kubeFactsOfPods(cluster: KubeCluster): FactPattern[] {
  return [`${prefixOf(cluster)}**"kind":"Pod"**`];
}

/** All facts about replica counts. */
export function kubeFactsOfScales(cluster: KubeCluster): FactPattern[] {
  return [`${prefixOf(cluster)}**},"scale":**`];
}

function prefixOf(cluster: KubeCluster): FactPattern {
  return `kubernetes:{"of":${exactly(JSON.stringify(clusterOf(cluster)).slice(0, -1))},`;
}

/** The object that a target identifies, without its fields. */
export function objectOf({ apiVersion, kind, name, namespace }: Omit<KubeTarget, "kubeconfig">): KubeObjectData {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function ofTarget(target: KubeTarget) {
  return kubeOf({ ...clusterOf(target), object: objectOf(target) });
}

function names({ apiVersion, kind, name, namespace }: KubeTarget) {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}
