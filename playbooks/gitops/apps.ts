/**
 * Manages projects and applications in Argo CD, and waits until all applications are synced and healthy. It needs the
 * kubeconfig of Argo CD's cluster on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/apps.ts -i local --var @apps.yaml
 */
import { playbook } from "furrow";
import { appsSchema } from "../../roles/argo-apps/apps.ts";
import { argoApps } from "../../roles/argo-apps/role.ts";

export default playbook({
  name: "Argo CD applications",
  vars: appsSchema,
  plays: [{ name: "Applications", hosts: "all", tasks: ({ vars }) => [argoApps(vars)] }],
});
