/**
 * Creates a cluster that runs virtual machines on ordinary Linux hosts, from nothing to a machine that accepts logins:
 * RKE2 from a pinned tarball, KubeVirt, CDI, local-path-provisioner and Multus, then networks, images and machines.
 * Hosts in the group `agents` become agents, all others servers; the first server of the inventory creates the cluster.
 *
 * Vars: see roles/parvester/parvester.ts. Volumes are local, so machines cannot migrate.
 *
 *     furrow run playbooks/parvester.ts -i inventory.ts --var @parvester.yaml
 */
import { playbook } from "furrow";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { clusterTasks, fits, nodeTasks, stays, vmHostTasks } from "../roles/parvester/role.ts";

export default playbook({
  name: "Parvester",
  vars: parvesterSchema,
  plays: [
    {
      name: "Hosts",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      tasks: (context) => [...fits(context, { begins: true }), stays(), ...vmHostTasks(context)],
    },
    {
      name: "Servers",
      hosts: "all",
      become: true,
      serial: 1,
      anyFailureFatal: true,
      tasks: (context) => nodeTasks(context, "server"),
    },
    { name: "Agents", hosts: "all", become: true, tasks: (context) => nodeTasks(context, "agent") },
    { name: "Cluster", hosts: "all", become: true, tasks: clusterTasks },
  ],
});
