/**
 * Manages the storage classes of a Harvester cluster, and the NFS export to which the cluster backs up. It needs the
 * cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/storage.ts -i local --var @storage.yaml
 */
import { playbook } from "furrow";
import { vmStorage } from "../../roles/vm-storage/role.ts";
import { vmStorageSchema } from "../../roles/vm-storage/storage.ts";

export default playbook({
  name: "Harvester storage",
  vars: vmStorageSchema,
  plays: [{ name: "Storage", hosts: "all", tasks: ({ vars }) => [vmStorage(vars)] }],
});
