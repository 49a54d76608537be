/**
 * Adds one host of the inventory to a cluster that parvester.ts has created. The host becomes an agent if it is in the
 * group `agents`, and otherwise a server. Refuses if any other host is not a Ready node. Vars: those of parvester.ts,
 * and `node`.
 *
 *     furrow run playbooks/parvester-add-node.ts -i inventory.ts --var @parvester.yaml --var node=host-4
 */
import { playbook, z } from "furrow";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { addable, fits, nodeTasks, stays, vmHostTasks, whole } from "../roles/parvester/role.ts";

export default playbook({
  name: "Parvester: add a node",
  vars: parvesterSchema.safeExtend({ node: z.string().min(1).describe("Host that becomes a node") }),
  plays: [
    {
      name: "Hosts",
      hosts: "all",
      become: true,
      anyFailureFatal: true,
      tasks: (context) => {
        const { vars, host } = context;
        const isNew = host.name === vars.node;
        return [
          addable(context),
          ...fits(context, { joins: isNew }),
          ...whole(context, vars.node),
          stays(),
          ...(isNew ? vmHostTasks(context) : []),
        ];
      },
    },
    {
      name: "Node",
      hosts: "all",
      become: true,
      tasks: (context) =>
        context.host.name === context.vars.node
          ? [...nodeTasks(context, "server"), ...nodeTasks(context, "agent")]
          : [],
    },
  ],
});
