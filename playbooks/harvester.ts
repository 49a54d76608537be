/**
 * Deploys a SUSE/Rancher Harvester cluster nested in one cloud VM, from nothing to running nodes: checks the host,
 * installs libvirt and nginx, downloads the boot artifacts, prepares a data disk for each node, creates the nodes'
 * network, serves each node its own boot script and configuration, and defines and starts the nodes. At the end it
 * prints where the cluster can be reached.
 *
 * Vars: `disks` (stable paths), `token` and `password` (secrets) are required; for the rest, see
 * roles/cluster/cluster.ts.
 */
import { playbook } from "furrow";
import { refuseCutRancher } from "../roles/air-gap/rancher-allowed.ts";
import { airGap, airGapProbe } from "../roles/air-gap/role.ts";
import { bootArtifacts } from "../roles/boot-artifacts/role.ts";
import { bootServer } from "../roles/boot-server/role.ts";
import { clusterReady } from "../roles/cluster-ready/role.ts";
import { deploymentSchema } from "../roles/cluster/cluster.ts";
import { dataDisks } from "../roles/data-disks/role.ts";
import { exposure } from "../roles/exposure/role.ts";
import { harvesterNodes } from "../roles/harvester-nodes/role.ts";
import { hostPackages } from "../roles/host-packages/role.ts";
import { identity, ownership } from "../roles/identity/role.ts";
import { kubeconfig } from "../roles/kubeconfig/role.ts";
import { originalScripts } from "../roles/original-scripts/role.ts";
import { noMaintenance } from "../roles/maintenance/tasks.ts";
import { preflight } from "../roles/preflight/role.ts";
import { rancherImport } from "../roles/rancher-import/role.ts";
import { summary } from "../roles/summary/role.ts";
import { vmNetwork } from "../roles/vm-network/role.ts";
import { watchdog } from "../roles/watchdog/role.ts";

export default playbook({
  name: "Harvester in a cloud VM",
  vars: deploymentSchema,
  plays: [
    {
      name: "Harvester host",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts, host }) => {
        const publicAddress = cluster.publicAddress ?? host.address;
        refuseCutRancher(cluster, [host.address, publicAddress]);
        return [
          noMaintenance({}),
          preflight({ cluster, facts, login: host.address }),
          identity({ cluster, publicAddress, installs: true, needsKubeconfig: false, storesKubeconfig: true }),
          originalScripts({ cluster }),
          hostPackages({ cluster, facts }),
          bootArtifacts({ cluster }),
          dataDisks({ cluster }),
          ownership({ cluster }),
          vmNetwork({ cluster, facts }),
          bootServer({ cluster, facts, publicAddress }),
          airGap({ cluster, facts }),
          exposure({ cluster, facts }),
          harvesterNodes({ cluster, publicAddress }),
          watchdog({ cluster }),
          clusterReady({ cluster, publicAddress }),
          kubeconfig({ cluster, host: host.name, publicAddress }),
          airGapProbe({ cluster, host: host.name }),
          rancherImport({ cluster }),
          summary({ cluster, host, publicAddress }),
        ];
      },
    },
  ],
});
