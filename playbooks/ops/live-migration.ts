/**
 * Configures live migration in a Harvester cluster: Harvester's setting for all virtual machines, and KubeVirt's
 * policies for some of them. A change is refused while a machine is migrating. It needs the cluster's kubeconfig on the
 * controller, and contacts no host.
 *
 *     furrow run playbooks/ops/live-migration.ts -i local --var @live-migration.yaml
 */
import { playbook } from "furrow";
import { liveMigration } from "../../roles/live-migration/role.ts";
import { liveMigrationSchema } from "../../roles/live-migration/vars.ts";

export default playbook({
  name: "Live migration settings in Harvester",
  vars: liveMigrationSchema,
  plays: [{ name: "Live migration", hosts: "all", tasks: ({ vars }) => [liveMigration(vars)] }],
});
