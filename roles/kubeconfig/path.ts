import type { Cluster } from "../cluster/cluster-fields.ts";

/** Returns the kubeconfig's path on the controller. */
export function kubeconfigPath({ kubeconfig: asked, prefix }: Pick<Cluster, "kubeconfig" | "prefix">): string {
  return (asked !== false && asked.to) || `./${prefix}-kubeconfig.yaml`;
}
