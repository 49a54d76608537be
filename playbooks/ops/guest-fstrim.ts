/**
 * Makes the guests of a Harvester cluster trim their file systems less often, on releases where trimming during a
 * volume rebuild stops a guest (v1.2.0, v1.2.1, v1.3.0); on other releases, nothing changes. It removes the `discard`
 * mount option, and adds a drop-in to fstrim.timer so that the guests do not all trim at the same time. For Windows
 * guests, it prints the commands. It needs the cluster's kubeconfig on the controller, and an inventory with the
 * guests: inventory/guests.ts.
 *
 *     furrow run playbooks/ops/guest-fstrim.ts -i inventory/guests.ts --var kubeconfig=harvester.kubeconfig
 */
import { playbook } from "furrow";
import { guestFstrim, guestFstrimSchema } from "../../roles/guest-fstrim/role.ts";

export default playbook({
  name: "Limit trimming in guests",
  vars: guestFstrimSchema,
  plays: [
    {
      name: "Guests",
      hosts: "all",
      become: true,
      tasks: ({ vars, host, hosts }) => [guestFstrim({ ...vars, host, hosts })],
    },
  ],
});
