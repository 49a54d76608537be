import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** The data that Rancher stores about an imported cluster. */
export type RancherAnswer =
  | {
      readonly found: true;
      readonly id: string;
      /** `pending` until a cluster has registered itself. */
      readonly state: string;
      /** True if the cluster has the label with which Rancher and furrow create clusters for Harvester. */
      readonly isHarvester: boolean;
      /** True if there is a registration URL: Rancher creates it a moment after the cluster. */
      readonly isReady: boolean;
      /** The URLs with which a cluster can register itself. They contain tokens and are registered as secrets. */
      readonly registrations: readonly string[];
    }
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

/**
 * A step that creates the URL that Harvester registers with. It also creates the cluster in Rancher if the cluster does
 * not exist.
 *
 * @param id the id of the cluster that exists; undefined if it does not exist
 */
export function rancherCall(question: RancherQuestion, id: string | undefined): CallStep {
  const request = { ...question, ...(id !== undefined && { id }) } satisfies Json;
  const what = id === undefined ? "create the cluster" : "create the registration URL of";
  return { step: "call", driver: "rancher", request, label: `${what} ${question.name} in Rancher` };
}
