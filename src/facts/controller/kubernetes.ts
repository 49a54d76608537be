import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** Why a cluster's response is missing: `HTTP 403` and the API's message, `timeout`, `no-kubeconfig`. */
export interface KubernetesError {
  readonly code: string;
  readonly message: string;
}

/**
 * The Kubernetes API's response about one object, or the error. `found` is false only if the API itself says that
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
 * Asks a Kubernetes API for one object. `kubeconfig` is a file on the controller; `path` looks like
 * `/api/v1/nodes/harvester-1`. `sealed` are fields of the object that are secret: the answer contains a keyed hash of
 * each.
 */
export function kubernetes(
  kubeconfig: string,
  path: string,
  sealed: readonly string[] = [],
): ControllerFact<KubernetesAnswer> {
  const request = { kubeconfig, path, ...(sealed.length > 0 && { sealed }) };
  return { driver: "kubernetes", request: request satisfies Json };
}

/**
 * Asks a Kubernetes API for a document that is not a Kubernetes object and so has no kind, such as the statistics of a
 * kubelet, which the API passes on: `/api/v1/nodes/harvester-1/proxy/stats/summary`.
 */
export function kubernetesDocument(kubeconfig: string, path: string): ControllerFact<KubernetesAnswer> {
  return { driver: "kubernetes", request: { kubeconfig, path, document: true } satisfies Json };
}

/** Asks a Kubernetes API for a whole list. `path` looks like `/api/v1/nodes`. */
export function kubernetesList(kubeconfig: string, path: string): ControllerFact<KubernetesListAnswer> {
  return { driver: "kubernetes", request: { kubeconfig, path, list: true } satisfies Json };
}

/**
 * A step that makes one change through the Kubernetes API. PATCH sends a merge patch. `label` is a human-readable
 * description of the step.
 */
export function kubernetesCall(
  kubeconfig: string,
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  label: string,
  body?: Json,
): CallStep {
  const request = { kubeconfig, path, method, ...(body !== undefined && { body }) };
  return { step: "call", driver: "kubernetes", request, label };
}
