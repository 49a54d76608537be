/**
 * Says how the screens and serial lines of a Harvester cluster's nodes are seen, over SSH, and what they say last.
 * Changes nothing. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { consoles } from "../roles/console/role.ts";

export default playbook({
  name: "Consoles of a Harvester cluster",
  vars: clusterSchema,
  plays: [
    {
      name: "Consoles",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => [consoles({ cluster, host: host.address })],
    },
  ],
});
