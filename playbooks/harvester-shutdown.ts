/**
 * Shuts down a Harvester cluster in an orderly way. Refuses while virtual machines are running or volumes are in use,
 * unless force=true; otherwise stops the watchdog, records the order, and shuts down one node after the other. A rerun
 * continues in the recorded order. Vars: those of harvester.ts, and `force`.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { powerOff } from "../roles/power/role.ts";

const vars = clusterSchema.safeExtend({
  force: z.boolean().default(false).describe("Switch the cluster off even if it is in use"),
});

export default playbook({
  name: "Switch a Harvester cluster off",
  vars,
  plays: [
    {
      name: "Shutdown",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [powerOff({ cluster, force: cluster.force })],
    },
  ],
});
