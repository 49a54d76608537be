/**
 * Shows how to open the screens and serial consoles of a Harvester cluster's nodes over SSH, and prints the last lines
 * of each. Changes nothing. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { consoles } from "../roles/console/role.ts";

export default playbook({
  name: "Harvester cluster consoles",
  vars: clusterSchema,
  plays: [
    {
      name: "Consoles",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => [consoles({ cluster, host })],
    },
  ],
});
