/**
 * Deploys a SUSE/Rancher Harvester cluster nested in one cloud VM, from nothing to running nodes: checks the host,
 * installs libvirt and nginx, downloads the boot artifacts, prepares a data disk for each node, makes the nodes' network,
 * serves each node its own boot script and configuration, and defines and starts the nodes.
 *
 * Vars: `disks` (stable paths), `token` and `password` (secrets) must be given; roles/cluster/cluster.ts has all others.
 */
import { playbook } from "furrow";
import { bootArtifacts } from "../roles/boot-artifacts/role.ts";
import { bootServer } from "../roles/boot-server/role.ts";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { dataDisks } from "../roles/data-disks/role.ts";
import { hostPackages } from "../roles/host-packages/role.ts";
import { nodes } from "../roles/nodes/role.ts";
import { preflight } from "../roles/preflight/role.ts";
import { vmNetwork } from "../roles/vm-network/role.ts";
import { watchdog } from "../roles/watchdog/role.ts";

export default playbook({
  name: "Harvester in a cloud VM",
  vars: clusterSchema,
  plays: [
    {
      name: "Harvester host",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts }) => [
        preflight({ cluster, facts }),
        hostPackages({ facts, firmware: cluster.firmware }),
        bootArtifacts({ cluster }),
        dataDisks({ cluster }),
        vmNetwork({ cluster }),
        bootServer({ cluster, facts }),
        nodes({ cluster }),
        watchdog({ cluster }),
      ],
    },
  ],
});
