/**
 * Shuts down a Harvester cluster in an orderly way. Refuses while virtual machines are running or volumes are in use,
 * or if the cluster's answers are incomplete, unless force=true. Takes an etcd snapshot on a management node, stops the
 * watchdog, records the order, and shuts down the nodes one after another. If no snapshot can be taken, refuses to shut
 * down, unless skipSnapshot=true. Changes the nodes' state only, not their definitions. A rerun continues in the
 * recorded order. Vars: those of harvester.ts, and `force`, `powerOff`, `shutdownSeconds` and `skipSnapshot`.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { clusterHere, tracesOfCluster } from "../roles/identity/cluster-here.ts";
import { identified } from "../roles/identity/role.ts";
import { powerOff } from "../roles/power/role.ts";

const vars = clusterSchema.safeExtend({
  force: z.boolean().default(false).describe("Shut down the cluster even if it is in use"),
  powerOff: z.boolean().default(false).describe("Power off a node that does not shut down in time"),
  shutdownSeconds: z.number().positive().default(300).describe("Seconds that each node gets to shut down"),
  skipSnapshot: z.boolean().default(false).describe("Shut down without an etcd snapshot"),
});

export default playbook({
  name: "Shut down a Harvester cluster",
  vars,
  plays: [
    {
      name: "Shutdown",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => {
        const { force, powerOff: hard, shutdownSeconds, skipSnapshot } = cluster;
        const same = identified(cluster, cluster.publicAddress ?? host.address);
        const { kubeconfig } = same;
        return [
          clusterHere(tracesOfCluster(cluster)),
          same.tasks,
          powerOff({ cluster, kubeconfig, host: host.name, force, powerOff: hard, shutdownSeconds, skipSnapshot }),
        ];
      },
    },
  ],
});
