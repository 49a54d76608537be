/**
 * Removes one node from a Harvester cluster for good: `--var node=3`. Refuses if the cluster cannot do without the
 * node, if virtual machines run on it, or if volumes lack replicas. Deletes the node's disk image, and keeps its data
 * disk. Lower `nodes` in the inventory afterwards. Vars: those of harvester.ts, and `node`.
 */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { maintenanceMarker, removedMarker } from "../roles/cluster/places.ts";
import { nodeNumber, nodeRemoval } from "../roles/node-removal/role.ts";

const vars = clusterSchema.safeExtend({
  node: z.int().min(1).max(5).describe("Number of the node to remove"),
});

export default playbook({
  name: "Remove a node from a Harvester cluster",
  vars,
  plays: [
    {
      name: "Remove",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [nodeRemoval({ cluster, node: nodeNumber(cluster, cluster.node).name })],
    },
    {
      name: "Clear up",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [
        t.file({ path: removedMarker(nodeNumber(cluster, cluster.node).name), state: "absent" }),
        t.file({ path: maintenanceMarker, state: "absent" }),
      ],
    },
  ],
});
