/**
 * Keeps Rancher's cloud credentials for Harvester valid: a kubeconfig whose token has expired, or expires soon, is
 * replaced. It needs the kubeconfig of the cluster in which Rancher runs, and an API token of Rancher; it contacts no
 * host.
 *
 *     furrow run playbooks/ops/cloud-credential.ts -i local --var @rancher.yaml
 */
import { playbook } from "furrow";
import { credentialsSchema } from "../../roles/cloud-credential/credentials.ts";
import { cloudCredential } from "../../roles/cloud-credential/role.ts";

export default playbook({
  name: "Rancher's cloud credentials",
  vars: credentialsSchema,
  plays: [{ name: "Cloud credentials", hosts: "all", tasks: ({ vars }) => [cloudCredential(vars)] }],
});
