/**
 * Connects a Harvester cluster to an external Ceph cluster through Rook: operator, connection, storage classes,
 * snapshots, and Harvester's csi-driver-config setting. It needs the cluster's kubeconfig on the controller, and
 * contacts no host.
 *
 *     furrow run playbooks/ops/external-ceph.ts -i inventory.ts --var @ceph.yaml
 */
import { playbook } from "furrow";
import { externalCephSchema } from "../../roles/external-ceph/ceph.ts";
import { externalCeph } from "../../roles/external-ceph/role.ts";

export default playbook({
  name: "External Ceph",
  vars: externalCephSchema,
  plays: [{ name: "External Ceph", hosts: "all", tasks: ({ vars }) => [externalCeph(vars)] }],
});
