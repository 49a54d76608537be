/**
 * Destroys a cluster created by parvester.ts: removes it from the agents first, from the first server last, and finally
 * removes the kubeconfig from the controller. Refuses a cluster that has virtual machines, or may have some, unless
 * `removeMachines=true`. Once this check has passed, the result is recorded on each node, so the next run can finish an
 * interrupted one even without the API. The volumes of the machines stay in /opt/local-path-provisioner unless
 * `removeVolumes=true`. Asks you to type the name of the first host, unless `--yes` is given. A second run changes
 * nothing. Vars: those of parvester.ts, and the two below.
 */
import { playbook, z } from "furrow";
import { leaveTasks } from "../roles/parvester/destroy.ts";
import { leavingNoted, leavingOutdated, noMachines, volumesFolder } from "../roles/parvester/no-machines.ts";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { fits } from "../roles/parvester/role.ts";

export default playbook({
  name: "Parvester: destroy",
  vars: parvesterSchema.safeExtend({
    removeMachines: z
      .boolean()
      .default(false)
      .describe("Remove the cluster even if it has, or may have, virtual machines"),
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
      // A separate play: if it refuses, the play above must already have removed outdated records from all hosts.
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
      // With removeMachines the guard has checked nothing, so the next run must set removeMachines too.
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
