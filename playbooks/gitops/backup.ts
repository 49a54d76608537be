/**
 * Makes backups of a Harvester cluster's virtual machines, waits until they can be restored, and manages schedules for
 * them. It deletes no backups. It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/backup.ts -i local --var @backups.yaml
 */
import { playbook } from "furrow";
import { vmBackupsSchema } from "../../roles/vm-backups/backups.ts";
import { vmBackups } from "../../roles/vm-backups/role.ts";

export default playbook({
  name: "Backups of Harvester virtual machines",
  vars: vmBackupsSchema,
  plays: [{ name: "Backups", hosts: "all", tasks: ({ vars }) => [vmBackups(vars)] }],
});
