/**
 * Switches off a Harvester cluster on physical machines, node by node from the last to the first: through the
 * management controller if one is given (Redfish or IPMI), otherwise over SSH. Refuses while virtual machines are
 * running or volumes are in use, or if the cluster's answers are incomplete, unless force=true. A rerun picks up where
 * it left off. For a cluster inside one host, use harvester-shutdown.ts.
 *
 *     furrow run playbooks/power-off.ts -i nodes.ts
 */
import { once, playbook } from "furrow";
import { metalSchema } from "../roles/power/metal.ts";
import { powerOffMetal } from "../roles/power/metal-off.ts";

export default playbook({
  name: "Switch off the nodes of a cluster",
  vars: metalSchema,
  plays: [
    {
      name: "Nodes off",
      hosts: "all",
      become: true,
      tasks: ({ vars, hosts }) => [once(hosts, [powerOffMetal(vars)])],
    },
  ],
});
