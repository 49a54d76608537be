/**
 * Takes a Harvester cluster off its host: nodes, network, web server, exposed ports, watchdog. Disk images and data
 * disks are kept, unless `--var removeDisks=true`. A second run changes nothing. Vars: those of harvester.ts, and
 * `removeDisks`.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { teardown } from "../roles/teardown/role.ts";

const vars = clusterSchema.safeExtend({
  removeDisks: z.boolean().default(false).describe("Delete the nodes' disk images too: what is on them is lost"),
});

export default playbook({
  name: "A Harvester cluster taken away",
  vars,
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [teardown({ cluster, removeDisks: cluster.removeDisks })],
    },
  ],
});
