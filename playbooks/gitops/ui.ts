/**
 * Manages the certificate of a Harvester cluster's UI, and checks that the UI's name resolves to the cluster. It needs
 * the cluster's kubeconfig, the certificate and its key on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/ui.ts -i local --var @ui.yaml
 */
import { playbook } from "furrow";
import { uiCertificate } from "../../roles/ui-certificate/role.ts";
import { uiCertificateSchema } from "../../roles/ui-certificate/ui.ts";

export default playbook({
  name: "Harvester UI",
  vars: uiCertificateSchema,
  plays: [{ name: "Certificate", hosts: "all", tasks: ({ vars }) => [uiCertificate(vars)] }],
});
