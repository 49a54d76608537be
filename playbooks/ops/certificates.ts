/**
 * Reports when the certificates of a Harvester cluster end: those of RKE2 on each node, KubeVirt's, and that of its pages.
 * With autoRotate, Harvester renews those of RKE2. It needs the cluster's kubeconfig on the controller, and asks no host.
 *
 *     furrow run playbooks/ops/certificates.ts -i local --var @certificates.yaml
 */
import { playbook } from "furrow";
import { certificatesSchema } from "../../roles/certificates/certificates.ts";
import { certificates } from "../../roles/certificates/role.ts";

export default playbook({
  name: "Harvester certificates",
  vars: certificatesSchema,
  plays: [{ name: "Certificates", hosts: "all", tasks: ({ vars }) => [certificates(vars)] }],
});
