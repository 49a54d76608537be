/**
 * Adds disks to nodes in a Harvester cluster. List the disks in `extraDisks` (the node's number, the disk on the host),
 * then run this playbook. A running node gets its disk immediately, and keeps it across restarts. Afterwards, add the
 * disk in Harvester, on the node's page. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { preparedSchema } from "../roles/cluster/cluster.ts";
import { clusterNodes } from "../roles/cluster/nodes.ts";
import { dataDisks } from "../roles/data-disks/role.ts";
import { attachedDisks } from "../roles/harvester-nodes/attached-disks.ts";
import { noneSaved } from "../roles/harvester-nodes/none-saved.ts";
import { nodeDomain } from "../roles/harvester-nodes/role.ts";
import { identity } from "../roles/identity/role.ts";
import { noMaintenance } from "../roles/maintenance/tasks.ts";
import { preflight } from "../roles/preflight/role.ts";

export default playbook({
  name: "More disks for a Harvester cluster",
  vars: preparedSchema,
  plays: [
    {
      name: "Add disks",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts, host }) => [
        noMaintenance({}),
        preflight({ cluster, facts }),
        identity({ cluster, publicAddress: cluster.publicAddress ?? host.address, needsKubeconfig: false }),
        noneSaved({ names: clusterNodes(cluster).map(({ name }) => name) }),
        dataDisks({ cluster }),
        clusterNodes(cluster).map((node) => nodeDomain(cluster, node, true)),
        attachedDisks({ cluster }),
      ],
    },
  ],
});
