/**
 * Reports what is wrong with a Harvester cluster, the worst problems first, each with a hint about where to look next:
 * nodes, certificates, capacity, virtual machines, volumes, networks, pods, add-ons, upgrades, images. Changes nothing,
 * and needs only read permission. Fails if there are problems; `failOn` sets which problems count. It needs the
 * cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/doctor.ts -i local --var kubeconfig=harvester.kubeconfig
 */
import { playbook } from "furrow";
import { clusterDoctor, clusterDoctorSchema } from "../../roles/cluster-doctor/role.ts";

export default playbook({
  name: "Health of a Harvester cluster",
  vars: clusterDoctorSchema,
  plays: [{ name: "Doctor", hosts: "all", tasks: ({ vars }) => [clusterDoctor(vars)] }],
});
