import { type KubeconfigOf, z } from "../../src/authoring.ts";

/**
 * The param of a task that must query and change only one cluster: the kubeconfig's path, with the digest of the CA
 * certificate that the kubeconfig must contain at each request. Another operator may replace the file during a run.
 */
export const pinnedKubeconfig = z
  .union([z.string(), z.strictObject({ path: z.string(), authority: z.string() })])
  .describe("The cluster's kubeconfig on the controller, and the authority that it must contain");

/** Returns a kubeconfig's path on the controller. */
export function pathOf(kubeconfig: KubeconfigOf): string {
  return typeof kubeconfig === "string" ? kubeconfig : kubeconfig.path;
}

/** True if it is not known which cluster a kubeconfig must be for. */
export function isUnproven(kubeconfig: KubeconfigOf): boolean {
  return typeof kubeconfig !== "string" && kubeconfig.authority === "";
}
