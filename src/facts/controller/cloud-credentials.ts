import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** Where Rancher is: its API, and the kubeconfig of the cluster in which it runs. */
export interface CloudCredentialsQuestion {
  /** The kubeconfig of the cluster in which Rancher runs. */
  readonly kubeconfig: string;
  readonly url: string;
  /** The API token, which may be secret. */
  readonly token: string;
  readonly caCert?: string;
  /** The names of the Secrets; default: all credentials for Harvester. */
  readonly names?: readonly string[];
  /** A token is replaced this many seconds before it expires. */
  readonly renewBeforeSeconds: number;
}

/** A cloud credential for Harvester. This value contains no part of the token. */
export interface CloudCredential {
  /** The name that is shown in Rancher. */
  readonly shown: string;
  /** The id of the Harvester cluster in Rancher; empty if the credential has none. */
  readonly cluster: string;
  /** When the token expires, as an ISO 8601 time in UTC; empty if it never does, or if its expiry is unknown. */
  readonly expires: string;
  /** The state of the token, as a sentence: `its token is disabled`. */
  readonly state: string;
  /** Whether the credential's kubeconfig must be replaced. */
  readonly due: boolean;
}

/** Rancher's cloud credentials for Harvester by the names of their Secrets, or why they could not be read. */
export type CloudCredentials =
  | { readonly error: { readonly where: string; readonly code: string; readonly message: string } }
  | {
      readonly credentials: Readonly<Record<string, CloudCredential>>;
      /** What prevents a renewal that is due: Rancher does not accept the API token, …. */
      readonly obstacle?: string;
    };

/** Asks Rancher which of its cloud credentials for Harvester still work. */
export function cloudCredentials(question: CloudCredentialsQuestion): ControllerFact<CloudCredentials> {
  return { driver: "cloudCredentials", request: requestOf(question) };
}

/** A step that has Rancher create new kubeconfigs, and writes them into the credentials that are due for renewal. */
export function cloudCredentialsRenewal(question: CloudCredentialsQuestion, names: readonly string[]): CallStep {
  const request = requestOf({ ...question, names });
  return { step: "call", driver: "cloudCredentials", request, label: `renew ${names.join(", ")}` };
}

function requestOf({ names, ...question }: CloudCredentialsQuestion): Json {
  return { ...question, ...(names !== undefined && { names: [...names] }) };
}
