import { role, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { releaseOf } from "../cluster/releases.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { sshOpen } from "../kubeconfig/ssh-open.ts";
import { harvesterSetting, importedCluster } from "./tasks.ts";

/**
 * Registers the cluster with Rancher: creates the cluster's object in Rancher, and sets the registration URL in
 * Harvester.
 */
export const rancherImport = role(
  {
    name: "rancher import",
    summary: "Register the cluster with a Rancher server",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => {
    const { rancher, prefix, version } = cluster;
    if (rancher === undefined) return [];
    const { url, token, insecure, caCert, name = prefix } = rancher;
    const imported = importedCluster({ url, token, name, insecure, ...(caCert !== undefined && { caCert }) });
    const reachable = sshOpen({ address: firstNode(cluster).address, bridge: cluster.network.bridge });
    return [
      imported,
      reachable,
      harvesterSetting(
        {
          kubeconfig: kubeconfigPath(cluster),
          name: "cluster-registration-url",
          value: imported.output.map((registration) => registrationValue(version, registration, insecure)),
        },
        // If the cluster does not exist yet, check mode cannot query it.
        { name: "Harvester's setting cluster-registration-url", when: reachable.output },
      ),
    ];
  },
);

/** Returns the setting's value: the plain URL before v1.8, a JSON object as text from v1.8 on. */
export function registrationValue(version: string, url: string, insecure: boolean): string {
  return releaseOf(version).registration === "url" ? url : JSON.stringify({ url, insecureSkipTLSVerify: insecure });
}
