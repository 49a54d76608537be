/**
 * Removes a cluster that parvester.ts has made from its hosts: agents first, the first server last, then the kubeconfig on
 * the controller. Refuses a cluster that has machines, or cannot say whether it has, unless `removeMachines=true`. Once it
 * has passed, each node has a note of that, so that the next run finishes one that was stopped, even without the API. The
 * volumes of the machines stay in /opt/local-path-provisioner unless `removeVolumes=true`. Asks you to type the name of the
 * first host, unless `--yes` is given. A second run changes nothing. Vars: those of parvester.ts, and these two.
 */
import { playbook, z } from "furrow";
import { leaveTasks } from "../roles/parvester/destroy.ts";
import { leavingNoted, leavingOutdated, noMachines, volumesFolder } from "../roles/parvester/no-machines.ts";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { fits } from "../roles/parvester/role.ts";

export default playbook({
  name: "Parvester: destroy",
  vars: parvesterSchema.safeExtend({
    removeMachines: z.boolean().default(false).describe("Remove the cluster although it has, or may have, machines"),
    removeVolumes: z.boolean().default(false).describe(`Delete ${volumesFolder} too, with the data of all machines`),
  }),
  confirm: ({ vars: { removeVolumes }, hosts }) => ({
    lost: `the cluster on ${hosts.map(({ name }) => name).join(", ")}${removeVolumes ? ", with the data of all machines" : ""}`,
    typeBack: hosts[0]?.name ?? "",
  }),
  plays: [
    {
      name: "Hosts",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      tasks: (context) => [
        ...fits(context, { removes: true }),
        !context.vars.removeMachines && leavingOutdated({ kubeconfig: context.vars.kubeconfig }),
      ],
    },
    {
      // A play of its own: its first refusal must not keep a note out of date on another host.
      name: "Machines",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      tasks: ({ vars: { kubeconfig, removeMachines, removeVolumes } }) => [
        noMachines({ kubeconfig, removeMachines, removeVolumes }),
      ],
    },
    {
      name: "Note",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      // With removeMachines the guard has seen nothing, and the next run needs the same acceptance.
      tasks: ({ vars: { removeMachines, removeVolumes } }) => [!removeMachines && leavingNoted({ removeVolumes })],
    },
    { name: "Agents", hosts: "all", become: true, tasks: (context) => leaveTasks(context, "agents") },
    {
      name: "Other servers",
      hosts: "all",
      become: true,
      serial: 1,
      anyFailureFatal: true,
      tasks: (context) => leaveTasks(context, "other servers"),
    },
    { name: "First server", hosts: "all", become: true, tasks: (context) => leaveTasks(context, "first server") },
  ],
});
