/**
 * Removes a Harvester cluster from its host: nodes, network, web server, exposed ports and watchdog. Also removes the
 * cluster's kubeconfig from the controller. Disk images and data disks are kept, with a record of the cluster that they
 * belong to; with `--var removeDisks=true` the images that furrow made are deleted, and you are asked to type the
 * host's name, unless `--yes` is given. Refuses if a virtual machine has the name of a node but is not a node of the
 * cluster. A second run changes nothing. Vars: those of harvester.ts, and `removeDisks`.
 */
import { playbook, z } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { teardown } from "../roles/teardown/role.ts";

const vars = clusterSchema.safeExtend({
  removeDisks: z.boolean().default(false).describe("Delete the nodes' disk images too, with all their data"),
});

export default playbook({
  name: "Remove a Harvester cluster",
  vars,
  confirm: ({ vars: { removeDisks }, host }) =>
    removeDisks
      ? {
          lost: `the disk images of the cluster's nodes on ${host.name}, with all their data`,
          typeBack: host.name,
        }
      : undefined,
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => [
        teardown({
          cluster,
          removeDisks: cluster.removeDisks,
          publicAddress: cluster.publicAddress ?? host.address,
        }),
      ],
    },
  ],
});
