/**
 * Upgrades a cluster that parvester.ts has created to the releases in the vars: first RKE2 on the servers, one by one,
 * after an etcd snapshot; then RKE2 on the agents, one by one; then KubeVirt and the other components. Refuses a
 * cluster that is not healthy, an older release, an upgrade that skips a minor version, and a run without the first
 * server. The next run finishes an interrupted one.
 *
 * Virtual machines keep running while RKE2 restarts. Vars: those of parvester.ts.
 */
import { playbook } from "furrow";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { clusterTasks, fits, nodeTasks, snapshot, stays, whole, withFirst } from "../roles/parvester/role.ts";

export default playbook({
  name: "Parvester: upgrade",
  vars: parvesterSchema,
  plays: [
    {
      name: "Hosts",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      tasks: (context) => [
        withFirst(context),
        ...fits(context, { upgrades: true, joins: false }),
        ...whole(context),
        stays(),
      ],
    },
    {
      name: "Servers",
      hosts: "all",
      become: true,
      serial: 1,
      anyFailureFatal: true,
      tasks: (context) => [...snapshot(context), ...nodeTasks(context, "server")],
    },
    {
      name: "Agents",
      hosts: "all",
      become: true,
      serial: 1,
      anyFailureFatal: true,
      tasks: (context) => nodeTasks(context, "agent"),
    },
    { name: "Cluster", hosts: "all", become: true, tasks: clusterTasks },
  ],
});
