/**
 * Keeps a cluster registered with Argo CD, which may run in another cluster. A run replaces the token before it
 * expires. It needs the kubeconfigs of both clusters on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/register.ts -i local --var @register.yaml
 */
import { playbook } from "furrow";
import { registrationSchema } from "../../roles/argo-cluster/registration.ts";
import { argoRegistration } from "../../roles/argo-cluster/role.ts";

export default playbook({
  name: "Register an Argo CD cluster",
  vars: registrationSchema,
  plays: [{ name: "Registration", hosts: "all", tasks: ({ vars }) => [argoRegistration(vars)] }],
});
