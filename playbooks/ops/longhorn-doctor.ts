/**
 * Reports what is wrong with Longhorn on a Harvester cluster, the worst problems first, each with a hint about where to
 * look next: disks, tags, replicas, volumes, snapshots, orphans, settings. Changes nothing, and needs only read
 * permission. Fails if there are problems; `failOn` sets which problems count. It needs the cluster's kubeconfig on the
 * controller, and contacts no host.
 *
 *     furrow run playbooks/ops/longhorn-doctor.ts -i local --var kubeconfig=harvester.kubeconfig
 */
import { playbook } from "furrow";
import { longhornDoctor, longhornDoctorSchema } from "../../roles/longhorn-doctor/role.ts";

export default playbook({
  name: "Health of Longhorn",
  vars: longhornDoctorSchema,
  plays: [{ name: "Longhorn", hosts: "all", tasks: ({ vars }) => [longhornDoctor(vars)] }],
});
