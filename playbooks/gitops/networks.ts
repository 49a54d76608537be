/**
 * Manages the networks of a Harvester cluster: cluster networks, the interfaces that connect nodes to them, and the
 * networks that virtual machines attach to. It needs the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/networks.ts -i local --var @networks.yaml
 */
import { playbook } from "furrow";
import { vmNetworksSchema } from "../../roles/vm-networks/networks.ts";
import { vmNetworks } from "../../roles/vm-networks/role.ts";

export default playbook({
  name: "Harvester networks",
  vars: vmNetworksSchema,
  plays: [{ name: "Networks", hosts: "all", tasks: ({ vars }) => [vmNetworks(vars)] }],
});
