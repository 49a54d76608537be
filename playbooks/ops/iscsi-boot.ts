/**
 * Sets the kernel parameters with which the nodes of a Harvester cluster boot from an iSCSI disk described by their
 * firmware (iBFT). After a run, each boot entry contains the parameters exactly once. On releases that read
 * /oem/grubenv, the parameters survive an upgrade; on older releases, rerun the playbook after each upgrade. Nodes
 * without an iBFT are left alone. It needs an inventory with the nodes, and restarts none of them.
 *
 *     furrow run playbooks/ops/iscsi-boot.ts -i nodes.ts
 */
import { playbook } from "furrow";
import { iscsiBoot, iscsiBootSchema } from "../../roles/iscsi-boot/role.ts";

export default playbook({
  name: "Nodes that boot from iSCSI",
  vars: iscsiBootSchema,
  plays: [{ name: "Nodes", hosts: "all", become: true, tasks: ({ vars }) => [iscsiBoot(vars)] }],
});
