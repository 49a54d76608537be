/**
 * Reports the state of a cluster that parvester.ts has created: what each host runs, and what Kubernetes reports about
 * nodes and virtual machines. Fails if a host is a node of another cluster. Changes nothing. Vars: those of
 * parvester.ts.
 */
import { playbook } from "furrow";
import { parvesterSchema } from "../roles/parvester/parvester.ts";
import { fits } from "../roles/parvester/role.ts";
import { parvesterStatus } from "../roles/parvester/status.ts";
import { placeOf } from "../roles/rke2/members.ts";

export default playbook({
  name: "Parvester status",
  vars: parvesterSchema,
  plays: [
    {
      name: "Status",
      hosts: "all",
      become: true,
      tasks: (context) => [
        placeOf(context).member.first && parvesterStatus({ kubeconfig: context.vars.kubeconfig }),
        ...fits(context, { joins: false }),
      ],
    },
  ],
});
