/**
 * Reports which VLANs of a Harvester cluster's networks are missing from its nodes' bridges. Changes nothing. It needs
 * the cluster's kubeconfig on the controller, and an inventory with the nodes: it logs in to each and reads its
 * bridges, because Harvester itself does not report them completely.
 *
 *     furrow run playbooks/gitops/vlans.ts -i nodes.ts --var kubeconfig=harvester.kubeconfig
 */
import { playbook, z } from "furrow";
import { vlansOnNodes } from "../../roles/vm-networks/bridge-vlans.ts";

export default playbook({
  name: "VLANs on the nodes of a Harvester cluster",
  vars: z.strictObject({ kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller") }),
  plays: [{ name: "VLANs", hosts: "all", become: true, tasks: ({ vars }) => [vlansOnNodes(vars)] }],
});
