/**
 * Removes one node from a Harvester cluster for good: `--var node=3`. Refuses if the cluster cannot do without the
 * node, if virtual machines are running on it, if volumes lack replicas, or if the cluster's answers are incomplete.
 * Refuses if data that exists only on this node would be lost, and lists that data; `acceptLoss` lists what may be
 * lost. Deletes the node's disk image, and keeps its data disk. Afterwards add the node's number to `removedNodes` in
 * the inventory, and leave `nodes` as it is. Vars: those of harvester.ts, `node` and `acceptLoss`.
 */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { fingerprintPath, removedMarker } from "../roles/cluster/places.ts";
import { clusterHere, tracesOfCluster } from "../roles/identity/cluster-here.ts";
import { identified } from "../roles/identity/role.ts";
import { maintenanceEnded } from "../roles/maintenance/tasks.ts";
import { listRemoved } from "../roles/node-removal/list-removed.ts";
import { nodeNumber, nodeRemoval } from "../roles/node-removal/role.ts";
import { removalSchema } from "../roles/node-removal/vars.ts";

export default playbook({
  name: "Remove a node from a Harvester cluster",
  vars: removalSchema("Number of the node to remove"),
  plays: [
    {
      name: "Remove",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => {
        const { name } = nodeNumber(cluster, cluster.node);
        const same = identified(cluster, cluster.publicAddress ?? host.address, { acts: true });
        const { kubeconfig } = same;
        return [
          clusterHere(tracesOfCluster(cluster)),
          same.tasks,
          nodeRemoval({ cluster, kubeconfig, node: name, by: "harvester-remove-node", acceptLoss: cluster.acceptLoss }),
          t.file({ path: fingerprintPath(name), state: "absent" }),
        ];
      },
    },
    {
      name: "Clear up",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [
        t.file({ path: removedMarker(nodeNumber(cluster, cluster.node).name), state: "absent" }),
        maintenanceEnded({ node: nodeNumber(cluster, cluster.node).name }),
        listRemoved({ number: cluster.node }),
      ],
    },
  ],
});
