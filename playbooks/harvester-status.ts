/**
 * Reports the state of a Harvester cluster: each node's virtual machine and installation, whether the cluster answers,
 * and what Kubernetes reports about nodes, virtual machines and volumes. Fails if the cluster that answers is not the
 * one that was deployed here. Changes nothing. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { identity } from "../roles/identity/role.ts";
import { status } from "../roles/status/role.ts";

export default playbook({
  name: "Harvester cluster status",
  vars: clusterSchema,
  plays: [
    {
      name: "Status",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => [
        status({ cluster }),
        identity({ cluster, publicAddress: cluster.publicAddress ?? host.address }),
      ],
    },
  ],
});
