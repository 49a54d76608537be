/**
 * Starts a Harvester cluster after a shutdown: the node that was shut down last starts first. Waits until the cluster
 * answers and all nodes are back, refuses a different cluster at the same address, then ends the maintenance that the
 * shutdown began, so the watchdog works again. Changes the nodes' state only, not their definitions. Vars: those of
 * harvester.ts.
 */
import { playbook } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { clusterHere, tracesOfCluster } from "../roles/identity/cluster-here.ts";
import { identity } from "../roles/identity/role.ts";
import { powerOn } from "../roles/power/role.ts";
import { status } from "../roles/status/role.ts";

export default playbook({
  name: "Start a Harvester cluster",
  vars: clusterSchema,
  plays: [
    {
      name: "Restart",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => [
        clusterHere(tracesOfCluster(cluster)),
        identity({ cluster, publicAddress: cluster.publicAddress ?? host.address, needsKubeconfig: false }),
        powerOn({ cluster, publicAddress: cluster.publicAddress ?? host.address }),
        status({ cluster }),
      ],
    },
  ],
});
