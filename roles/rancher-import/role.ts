import { role, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { sshOpen } from "../kubeconfig/ssh-open.ts";
import { registrationSetting, registrationValue } from "./registration.ts";
import { importedCluster, registrationSet } from "./tasks.ts";

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
    const kubeconfig = kubeconfigPath(cluster);
    const { name = prefix, insecure, replaces } = rancher;
    const imported = importedCluster({ ...rancher, name, kubeconfig });
    const reachable = sshOpen({ address: firstNode(cluster).address, bridge: cluster.network.bridge });
    return [
      imported,
      reachable,
      registrationSet(
        {
          kubeconfig,
          registration: imported.output,
          value: imported.output.map((registration) => registrationValue(version, registration, insecure)),
          replaces,
        },
        // If the cluster does not exist yet, check mode cannot query it.
        { name: `Harvester's setting ${registrationSetting}`, when: reachable.output },
      ),
    ];
  },
);
