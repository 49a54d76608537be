/**
 * Reports when the certificates of a Harvester cluster expire: RKE2's on each node, KubeVirt's, and the Harvester UI's.
 * With autoRotate, Harvester renews RKE2's certificates. It needs the cluster's kubeconfig on the controller, and
 * contacts no host.
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
