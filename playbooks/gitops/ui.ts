/**
 * Keeps the certificate of a Harvester cluster's pages, and checks that their name leads to the cluster. It needs the
 * cluster's kubeconfig, the certificate and its key on the controller, and asks no host.
 *
 *     furrow run playbooks/gitops/ui.ts -i local --var @ui.yaml
 */
import { playbook } from "furrow";
import { uiCertificate } from "../../roles/ui-certificate/role.ts";
import { uiCertificateSchema } from "../../roles/ui-certificate/ui.ts";

export default playbook({
  name: "Harvester's pages",
  vars: uiCertificateSchema,
  plays: [{ name: "Certificate", hosts: "all", tasks: ({ vars }) => [uiCertificate(vars)] }],
});
