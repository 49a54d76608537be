/**
 * Manages virtual machines of a Harvester cluster, and waits until they are running. Their networks and images must
 * exist: see networks.ts and images.ts. It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/vms.ts -i local --var @vms.yaml
 */
import { playbook } from "furrow";
import { machinesSchema } from "../../roles/virtual-machines/machines.ts";
import { virtualMachines } from "../../roles/virtual-machines/role.ts";

export default playbook({
  name: "Harvester virtual machines",
  vars: machinesSchema,
  plays: [{ name: "Virtual machines", hosts: "all", tasks: ({ vars }) => [virtualMachines(vars)] }],
});
