/**
 * Sets up a host of the inventory to install Harvester on the machines of a rack over the network: DHCP (or proxy-DHCP
 * next to an existing server), TFTP for the first file, HTTP for all others, and for each MAC address its own boot
 * script and configuration. The host is the only one in the inventory, or the one in the group `pxe`. No pool may
 * contain the address of a host in the inventory. playbooks/pxe-status.ts shows how far each machine has got.
 *
 * Vars: `server`, `network`, `router`, `dns`, `vip`, `nodes`, `token` and `password` (secrets) are required; for the
 * rest, see roles/pxe-server/rack-fields.ts and docs/guides/harvester/pxe.md.
 */
import { playbook } from "furrow";
import { addressesOf, isServer, refuseServers } from "../roles/pxe-server/inventory.ts";
import { rackSchema } from "../roles/pxe-server/rack.ts";
import { pxeServer } from "../roles/pxe-server/role.ts";

export default playbook({
  name: "Network boot for a rack",
  vars: rackSchema,
  confirm: ({ vars }) =>
    vars.reinstall.length === 0
      ? undefined
      : {
          lost: `the disks of ${vars.reinstall.join(", ")}, at their next boot from the network`,
          typeBack: vars.reinstall.join(" "),
        },
  plays: [
    {
      name: "PXE server",
      hosts: "all",
      become: true,
      tasks: ({ vars: rack, host, allHosts, facts }) => {
        refuseServers(allHosts);
        return [isServer(host, allHosts) && pxeServer({ rack, facts, inventory: addressesOf(allHosts) })];
      },
    },
  ],
});
