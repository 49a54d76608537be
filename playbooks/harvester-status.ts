/**
 * Reports the state of a Harvester cluster: each node's virtual machine and installation, whether the cluster answers,
 * and what Kubernetes reports about nodes, virtual machines and volumes. Changes nothing. Vars: those of harvester.ts.
 */
import { playbook } from "furrow";
import { clusterSchema } from "../roles/cluster/cluster.ts";
import { status } from "../roles/status/role.ts";

export default playbook({
  name: "Harvester cluster status",
  vars: clusterSchema,
  plays: [{ name: "Status", hosts: "all", become: true, tasks: ({ vars: cluster }) => [status({ cluster })] }],
});
