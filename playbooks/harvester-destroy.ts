/**
 * Takes a Harvester cluster off its host: nodes, network, web server, exposed ports, watchdog. Disk images and data
 * disks are kept; with `--var removeDisks=true` the images go, and the host's name is to be typed back, unless `--yes` is
 * given. A second run changes nothing. Vars: those of harvester.ts, and `removeDisks`.
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
  confirm: ({ vars: { removeDisks }, host }) =>
    removeDisks
      ? {
          lost: `the disk images of the cluster's nodes on ${host.name}, with all that is on them`,
          typeBack: host.name,
        }
      : undefined,
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [teardown({ cluster, removeDisks: cluster.removeDisks })],
    },
  ],
});
