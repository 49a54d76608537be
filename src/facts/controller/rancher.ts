import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/**
 * The data that Rancher stores about an imported cluster. `registration` contains a token and is registered as a
 * secret.
 */
export type RancherAnswer =
  | { readonly found: true; readonly id: string; readonly state: string; readonly registration?: string }
  | { readonly found: false }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Identifies a cluster in Rancher. */
export interface RancherQuestion {
  readonly url: string;
  /** The API token, which may be secret. */
  readonly token: string;
  /** The cluster's name in Rancher. */
  readonly name: string;
  readonly caCert?: string;
  readonly insecure?: boolean;
}

/** Asks Rancher for a cluster by its name. */
export function rancherCluster(question: RancherQuestion): ControllerFact<RancherAnswer> {
  return { driver: "rancher", request: { ...question } satisfies Json };
}

/** A step that creates the cluster in Rancher, and the URL that Harvester registers with. */
export function rancherCall(question: RancherQuestion): CallStep {
  const request = { ...question } satisfies Json;
  return { step: "call", driver: "rancher", request, label: `create the cluster ${question.name} in Rancher` };
}
