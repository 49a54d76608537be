/**
 * Reports the capacity of a Harvester cluster and what is left of it: nodes, virtual machines, storage,
 * over-commitment, and whether everything would still fit if a node failed. Changes nothing, and needs only read
 * permission. It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/ops/resources.ts -i local --var kubeconfig=harvester.kubeconfig
 */
import { playbook } from "furrow";
import { reportSchema, resources } from "../../roles/resources/role.ts";

export default playbook({
  name: "Resources of a Harvester cluster",
  vars: reportSchema,
  plays: [{ name: "Resources", hosts: "all", tasks: ({ vars }) => [resources(vars)] }],
});
