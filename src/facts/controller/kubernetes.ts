import type { ControllerFact, Json } from "../../core/fact.ts";
import type { CallStep } from "../../core/step.ts";

/** What a cluster's Kubernetes API says of a thing or a list, or why it says nothing. */
export type KubernetesAnswer =
  | { readonly found: true; readonly object: unknown }
  | { readonly found: false }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Asks the Kubernetes API of the cluster that a kubeconfig of the controller names: `/api/v1/nodes`. */
export function kubernetes(kubeconfig: string, path: string): ControllerFact<KubernetesAnswer> {
  return { driver: "kubernetes", request: { kubeconfig, path } satisfies Json };
}

/** One change by the Kubernetes API; PATCH is a merge patch. `label`: what it does, for people. */
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
