import type { ControllerFact } from "../../core/facts/fact.ts";
import type { Absent } from "../../core/facts/symbols.ts";
import type { CallStep } from "../../core/host/step.ts";

/** The cluster that a kubeconfig on the controller is for. It contains no credentials. */
export interface KubeconfigFile {
  /** The URL of the cluster's API. */
  readonly server: string;
  /** SHA-256 of the cluster's CA certificate, in hex; empty if the kubeconfig names none. */
  readonly ca: string;
  /** The program of the controller with which its user logs in, if it names one. */
  readonly program?: string;
}

/** Asks which cluster a kubeconfig on the controller is for. */
export function kubeconfigFile(path: string): ControllerFact<Absent | KubeconfigFile> {
  return { driver: "kubeconfig", request: { path } };
}

/** Asks whether host keys of a cluster's nodes are kept next to its kubeconfig, in `PATH.known_hosts`. */
export function keptHostKeys(path: string): ControllerFact<Absent | { readonly kept: true }> {
  return { driver: "kubeconfig", request: { path, hostKeys: true } };
}

/** A step that removes a kubeconfig from the controller, with the host keys in `PATH.known_hosts`. */
export function removeKubeconfig(path: string): CallStep {
  return { step: "call", driver: "kubeconfig", request: { path }, label: `remove ${path} and ${path}.known_hosts` };
}

/** A step that removes the host keys in `PATH.known_hosts` on the controller, next to a kubeconfig that stays. */
export function removeHostKeys(path: string): CallStep {
  return {
    step: "call",
    driver: "kubeconfig",
    request: { path, hostKeys: true },
    label: `remove ${path}.known_hosts`,
  };
}
