/**
 * Upgrades a Harvester cluster: `--var version=v1.8.2`. Refuses a version that the cluster's current version cannot be
 * upgraded to. Refuses a cluster that is not ready for an upgrade: nodes are not ready, in maintenance or too full;
 * volumes are not healthy, or would be unavailable while a node restarts; virtual machines cannot be migrated; another
 * upgrade is running; or answers are incomplete. Downloads the release to the host, serves it to the nodes, starts the
 * upgrade and waits until it has finished; if it fails, the error contains Harvester's reasons. A rerun waits for a
 * running upgrade, and changes nothing once the cluster has the version. Set `version` in the inventory afterwards.
 * Vars: those of harvester.ts, `retry` and `deadlineSeconds`; `version` is required.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { version } from "../roles/cluster/cluster-fields.ts";
import { clusterUpgrade } from "../roles/cluster-upgrade/role.ts";
import { artifactsOfOther } from "../roles/cluster-upgrade/artifacts.ts";
import { clusterHere, tracesOfCluster } from "../roles/identity/cluster-here.ts";
import { identified } from "../roles/identity/role.ts";
import { noMaintenance } from "../roles/maintenance/tasks.ts";

const vars = clusterSchema
  .safeExtend({
    // No default: an upgrade to the default version of new deployments must not start unless the user asks for it.
    version: version.describe("Version to upgrade to"),
    retry: z.boolean().default(false).describe("Start over after an upgrade that failed before it changed the cluster"),
    deadlineSeconds: z
      .number()
      .positive()
      .default(21_600)
      .describe("Seconds after which furrow stops waiting for the upgrade"),
  })
  .superRefine((cluster, context) => {
    const other = artifactsOfOther(cluster);
    if (other !== undefined) context.addIssue({ code: "custom", path: ["artifacts"], message: other });
  });

export default playbook({
  name: "Upgrade a Harvester cluster",
  vars,
  plays: [
    {
      name: "Upgrade",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => {
        const { retry, deadlineSeconds } = cluster;
        const same = identified(cluster, cluster.publicAddress ?? host.address, { acts: true, upgrades: true });
        return [
          clusterHere(tracesOfCluster(cluster)),
          noMaintenance({}),
          same.tasks,
          clusterUpgrade({ cluster, kubeconfig: same.kubeconfig, retry, deadlineSeconds }),
        ];
      },
    },
  ],
});
