/**
 * Checks that the nodes of a Harvester cluster are prepared for Rook: folders that survive a reboot, and kernel
 * modules. Changes nothing. It needs an inventory with the nodes, and logs in to each.
 *
 *     furrow run playbooks/ops/external-ceph-nodes.ts -i nodes.ts
 */
import { playbook } from "furrow";
import { cephNodes, cephNodesSchema } from "../../roles/external-ceph/node.ts";

export default playbook({
  name: "Nodes for external Ceph",
  vars: cephNodesSchema,
  plays: [{ name: "Nodes", hosts: "all", become: true, tasks: ({ vars }) => [cephNodes(vars)] }],
});
