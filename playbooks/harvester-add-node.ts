/**
 * Adds nodes to a running Harvester cluster: raise `nodes` (from 1 to 3, or from 3 to 5) and list as many `disks`, then
 * run this playbook. Existing nodes are not touched. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { bootServer } from "../roles/boot-server/role.ts";
import { preparedSchema } from "../roles/cluster/cluster.ts";
import { clusterThere } from "../roles/cluster-ready/cluster-there.ts";
import { dataDisks } from "../roles/data-disks/role.ts";
import { harvesterNodes } from "../roles/harvester-nodes/role.ts";
import { identity, ownership } from "../roles/identity/role.ts";
import { noMaintenance } from "../roles/maintenance/tasks.ts";
import { preflight } from "../roles/preflight/role.ts";
import { status } from "../roles/status/role.ts";
import { vmNetwork } from "../roles/vm-network/role.ts";
import { watchdog } from "../roles/watchdog/role.ts";

export default playbook({
  name: "More nodes for a Harvester cluster",
  vars: preparedSchema,
  plays: [
    {
      name: "Add nodes",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts, host }) => {
        const publicAddress = cluster.publicAddress ?? host.address;
        return [
          noMaintenance({}),
          preflight({ cluster, facts }),
          identity({ cluster, publicAddress, installs: true }),
          clusterThere({ vip: cluster.network.vip }),
          dataDisks({ cluster }),
          ownership({ cluster }),
          vmNetwork({ cluster, facts }),
          bootServer({ cluster, facts, publicAddress }),
          harvesterNodes({ cluster, publicAddress }),
          watchdog({ cluster }),
          status({ cluster }),
        ];
      },
    },
  ],
});
