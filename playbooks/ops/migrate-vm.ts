/**
 * Moves one running virtual machine of a Harvester cluster away from a node, and waits until it has moved; or aborts
 * its migration (`--var action=abort`). It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/ops/migrate-vm.ts -i local --var kubeconfig=harvester.kubeconfig \
 *       --var machine=default/web --var from=harvester-2
 */
import { playbook } from "furrow";
import { vmMigration } from "../../roles/vm-migration/role.ts";
import { vmMigrationSchema } from "../../roles/vm-migration/vars.ts";

export default playbook({
  name: "Live migration of a Harvester virtual machine",
  vars: vmMigrationSchema,
  plays: [{ name: "Migration", hosts: "all", tasks: ({ vars }) => [vmMigration(vars)] }],
});
