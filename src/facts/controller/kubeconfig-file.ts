import type { ControllerFact } from "../../core/facts/fact.ts";
import type { Absent } from "../../core/facts/symbols.ts";
import type { CallStep } from "../../core/host/step.ts";

/** The cluster that a kubeconfig on the controller is for. This value contains no credentials. */
export interface KubeconfigFile {
  /** The URL of the cluster's API. */
  readonly server: string;
  /** The digest of all CA certificates in the kubeconfig (`certificateDigest`); empty if it contains none. */
  readonly ca: string;
  /**
   * The first part that a kubeconfig from a host must not contain, such as `exec (curl)`; undefined if every part is
   * allowed.
   */
  readonly foreign?: string;
  /**
   * The names of the contexts, clusters and users that the current context does not use; undefined if it uses all of
   * them.
   */
  readonly others?: readonly string[];
}

/** What to do if the kubeconfig of a cluster does not exist on the controller. */
export const missingKubeconfigHint =
  "Correct the path, or get the file: download it from Harvester's Support page (Download KubeConfig), or run the playbook that deployed the cluster, which fetches it";

/** What to do if the kubeconfig at a path is for another cluster. */
export const otherKubeconfigHint =
  "Set kubeconfig.to to a separate file for each cluster, and fetch this cluster's kubeconfig with the harvester playbook";

/** What to do if a fetched kubeconfig would replace something else. */
export const replacedKubeconfigHint =
  "Set kubeconfig.to (in a parvester playbook: kubeconfig) to another file, or move this one away if it is no longer needed";

/** How a kubeconfig from a host must reach its cluster. */
export interface ReachedServer {
  readonly server: string;
  /** The name that the server's certificate must contain. */
  readonly serverName: string;
}

/** Asks which cluster a kubeconfig on the controller is for. `reached`: the only server that it may name. */
export function kubeconfigFile(path: string, reached?: ReachedServer): ControllerFact<Absent | KubeconfigFile> {
  return { driver: "kubeconfig", request: { path, ...(reached && { reached: { ...reached } }) } };
}

/**
 * A step that moves a file, which was just fetched from a host, to the path of a kubeconfig on the controller. Fails
 * and removes that file unless it is a kubeconfig that starts no program, refers to no file and trusts only its own CA.
 * Also fails if it would replace a kubeconfig for another cluster, or one with several contexts.
 */
export function acceptKubeconfig(fetched: string, path: string, reached: ReachedServer): CallStep {
  const request = { accept: fetched, path, reached: { ...reached } };
  return { step: "call", driver: "kubeconfig", request, label: `accept it as ${path}` };
}

/** Asks whether host keys of a cluster's nodes are stored next to its kubeconfig, in `PATH.known_hosts`. */
export function keptHostKeys(path: string): ControllerFact<Absent | { readonly kept: true }> {
  return { driver: "kubeconfig", request: { path, hostKeys: true } };
}

/**
 * A step that removes a kubeconfig, and the host keys in `PATH.known_hosts`, from the controller. Fails if the file is
 * no longer for the cluster in `seen`, the answer on which the decision is based.
 */
export function removeKubeconfig(path: string, { server, ca }: KubeconfigFile): CallStep {
  const request = { path, seen: { server, ca } };
  return { step: "call", driver: "kubeconfig", request, label: `remove ${path} and ${path}.known_hosts` };
}

/**
 * A step that removes the host keys in `PATH.known_hosts` on the controller, next to a kubeconfig, and keeps the
 * kubeconfig.
 */
export function removeHostKeys(path: string): CallStep {
  return {
    step: "call",
    driver: "kubeconfig",
    request: { path, hostKeys: true },
    label: `remove ${path}.known_hosts`,
  };
}
