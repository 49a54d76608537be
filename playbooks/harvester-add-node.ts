/**
 * Adds nodes to a running Harvester cluster: raise `nodes` (from 1 to 3, or from 3 to 5) and list as many `disks`, then
 * run this. Existing nodes are not touched. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { bootServer } from "../roles/boot-server/role.ts";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { clusterThere } from "../roles/cluster-ready/cluster-there.ts";
import { dataDisks } from "../roles/data-disks/role.ts";
import { harvesterNodes } from "../roles/harvester-nodes/role.ts";
import { preflight } from "../roles/preflight/role.ts";
import { status } from "../roles/status/role.ts";
import { vmNetwork } from "../roles/vm-network/role.ts";
import { watchdog } from "../roles/watchdog/role.ts";

export default playbook({
  name: "More nodes for a Harvester cluster",
  vars: clusterSchema,
  plays: [
    {
      name: "Add nodes",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts, host }) => [
        preflight({ cluster, facts }),
        clusterThere({ vip: cluster.network.vip }),
        dataDisks({ cluster }),
        vmNetwork({ cluster, facts }),
        bootServer({ cluster, facts, publicAddress: cluster.publicAddress ?? host.address }),
        harvesterNodes({ cluster }),
        watchdog({ cluster }),
        status({ cluster }),
      ],
    },
  ],
});
