/**
 * Switches a Harvester cluster off in good order: refused while virtual machines run or volumes are in use (force=true
 * goes on all the same); the watchdog is stopped, the order recorded, and one node after the other shut down. Run again
 * it goes on with the order it has recorded. Vars: those of harvester.ts, and `force`.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { powerOff } from "../roles/power/role.ts";

const vars = clusterSchema.safeExtend({
  force: z.boolean().default(false).describe("Switch it off although it is in use"),
});

export default playbook({
  name: "A Harvester cluster switched off",
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
