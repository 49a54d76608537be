import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";
import type { KubeProblem } from "./kube-object.ts";

/** Why a cluster's response is missing: `HTTP 403` and the API's message, `timeout`, `no-kubeconfig`. */
export interface KubernetesError {
  readonly code: string;
  readonly message: string;
}

/**
 * The Kubernetes API's response about one object, or the error. `found` is false only if the API itself reports that
 * no object has this name.
 */
export type KubernetesAnswer =
  | { readonly found: true; readonly object: unknown }
  | { readonly found: false }
  | { readonly error: KubernetesError };

/** All objects in a list, or the error. A list is never partial. */
export type KubernetesListAnswer =
  | { readonly complete: true; readonly kind: string; readonly items: readonly unknown[] }
  | { readonly error: KubernetesError };

/**
 * Whether the Kubernetes API would accept a change. `refused` is why it would not; `unasked`, why it cannot check any
 * change in advance; `error`, why it did not answer the question.
 */
export type KubernetesTrial =
  | { readonly accepted: true }
  | { readonly refused: KubeProblem }
  | { readonly unasked: string }
  | { readonly error: KubernetesError };

/** A change that the Kubernetes API would make. PATCH sends a merge patch. */
export interface KubernetesChange {
  readonly method: "POST" | "PATCH";
  /** The path of the object; for POST, the path of the list. */
  readonly path: string;
  readonly body: Json;
  /** The object's name in messages: `Setting backup-target`. */
  readonly name: string;
}

/** A kubeconfig on the controller, and the cluster that it must belong to each time it is read. */
export interface PinnedKubeconfig {
  readonly path: string;
  /** The digest of the cluster's CA certificate (`certificateDigest`). No kubeconfig matches an empty digest. */
  readonly authority: string;
}

/** The path of a kubeconfig on the controller, which may be pinned to a cluster. */
export type KubeconfigOf = string | PinnedKubeconfig;

/** The part of a request that identifies the kubeconfig. */
function access(kubeconfig: KubeconfigOf): { readonly kubeconfig: string; readonly authority?: string } {
  return typeof kubeconfig === "string"
    ? { kubeconfig }
    : { kubeconfig: kubeconfig.path, authority: kubeconfig.authority };
}

/**
 * Asks a Kubernetes API for one object. `kubeconfig` is a file on the controller; `path` looks like
 * `/api/v1/nodes/harvester-1`. `sealed` are fields of the object that are secret: the answer contains a keyed hash of
 * each. `value.password` is the key `password` (regardless of case) of the JSON object that the field `value` contains
 * as text.
 */
export function kubernetes(
  kubeconfig: KubeconfigOf,
  path: string,
  sealed: readonly string[] = [],
): ControllerFact<KubernetesAnswer> {
  const request = { ...access(kubeconfig), path, ...(sealed.length > 0 && { sealed }) };
  return { driver: "kubernetes", request: request satisfies Json };
}

/**
 * Asks a Kubernetes API for a document that is not a Kubernetes object and so has no kind, such as the statistics of a
 * kubelet, which the API passes on: `/api/v1/nodes/harvester-1/proxy/stats/summary`.
 */
export function kubernetesDocument(kubeconfig: KubeconfigOf, path: string): ControllerFact<KubernetesAnswer> {
  return { driver: "kubernetes", request: { ...access(kubeconfig), path, document: true } satisfies Json };
}

/** Asks a Kubernetes API for a whole list. `path` looks like `/api/v1/nodes`. */
export function kubernetesList(kubeconfig: KubeconfigOf, path: string): ControllerFact<KubernetesListAnswer> {
  return { driver: "kubernetes", request: { ...access(kubeconfig), path, list: true } satisfies Json };
}

/**
 * Asks a Kubernetes API whether it would accept a change, with a dry run: the API checks the object, and so do the
 * cluster's webhooks, but nothing is stored.
 */
export function kubernetesTrial(
  kubeconfig: KubeconfigOf,
  { name, ...change }: KubernetesChange,
): ControllerFact<KubernetesTrial> {
  const request = { ...access(kubeconfig), tried: name, ...change };
  return { driver: "kubernetes", request: request satisfies Json };
}

/**
 * A step that makes one change through the Kubernetes API. PATCH sends a merge patch. `label` is a human-readable
 * description of the step.
 */
export function kubernetesCall(
  kubeconfig: KubeconfigOf,
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  label: string,
  body?: Json,
): CallStep {
  const request = { ...access(kubeconfig), path, method, ...(body !== undefined && { body }) };
  return { step: "call", driver: "kubernetes", request, label };
}
