/**
 * Restores a virtual machine of a Harvester cluster from a backup: as a new machine, or in place of an existing one
 * that is off, named in `replace`. It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/restore.ts -i local --var kubeconfig=harvester.kubeconfig \
 *       --var backup=db-before-upgrade --var newMachine=db-2
 */
import { playbook } from "furrow";
import { vmRestoreSchema } from "../../roles/vm-restore/restore.ts";
import { vmRestore } from "../../roles/vm-restore/role.ts";

export default playbook({
  name: "Restore of a Harvester virtual machine",
  vars: vmRestoreSchema,
  plays: [{ name: "Restore", hosts: "all", tasks: ({ vars }) => [vmRestore(vars)] }],
});
