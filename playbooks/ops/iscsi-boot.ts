/**
 * Keeps the kernel parameters with which the nodes of a Harvester cluster start from an iSCSI disk that their firmware
 * names (iBFT): once in every boot entry. On releases that read /oem/grubenv they survive an upgrade; on older ones, run
 * it again after each. Nodes without an iBFT stay as they are. It needs an inventory with the nodes, and restarts none.
 *
 *     furrow run playbooks/ops/iscsi-boot.ts -i nodes.ts
 */
import { playbook } from "furrow";
import { iscsiBoot, iscsiBootSchema } from "../../roles/iscsi-boot/role.ts";

export default playbook({
  name: "Nodes that start by iSCSI",
  vars: iscsiBootSchema,
  plays: [{ name: "Nodes", hosts: "all", become: true, tasks: ({ vars }) => [iscsiBoot(vars)] }],
});
