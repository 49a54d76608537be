import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** The Kubernetes API's answer about an object or a list, or the error. */
export type KubernetesAnswer =
  | { readonly found: true; readonly object: unknown }
  | { readonly found: false }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Asks a Kubernetes API. `kubeconfig` is a file on the controller; `path` looks like `/api/v1/nodes`. */
export function kubernetes(kubeconfig: string, path: string): ControllerFact<KubernetesAnswer> {
  return { driver: "kubernetes", request: { kubeconfig, path } satisfies Json };
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
