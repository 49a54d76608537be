/**
 * Puts one node of a Harvester cluster into maintenance mode, or takes it out. First reports what will happen to each
 * virtual machine on the node; a machine that cannot migrate is shut down only if `shutDown` names it. It needs the
 * cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/node-maintenance.ts -i local --var kubeconfig=harvester.kubeconfig \
 *       --var node=harvester-2 --var action=enter
 */
import { playbook } from "furrow";
import { nodeMaintenance } from "../../roles/node-maintenance/role.ts";
import { nodeMaintenanceSchema } from "../../roles/node-maintenance/vars.ts";

export default playbook({
  name: "Maintenance of a Harvester node",
  vars: nodeMaintenanceSchema,
  plays: [{ name: "Maintenance", hosts: "all", tasks: ({ vars }) => [nodeMaintenance(vars)] }],
});
