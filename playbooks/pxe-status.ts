/**
 * Shows how far the installation of each machine in a rack has got: DHCP, iPXE, kernel, configuration, installed,
 * joined. Lists machines that contacted the server but are not nodes. Searches the network for other DHCP servers, and
 * fails if it finds any (the error names them). Changes nothing. Vars: those of pxe.ts; `kubeconfig` adds what the
 * cluster itself reports.
 */
import { playbook } from "furrow";
import { isServer, refuseServers } from "../roles/pxe-server/inventory.ts";
import { rackSchema } from "../roles/pxe-server/rack.ts";
import { cardWith } from "../roles/pxe-server/role.ts";
import { pxeStatus } from "../roles/pxe-status/role.ts";

export default playbook({
  name: "Network boot status",
  vars: rackSchema,
  plays: [
    {
      name: "PXE status",
      hosts: "all",
      become: true,
      tasks: ({ vars: rack, host, allHosts, facts }) => {
        refuseServers(allHosts);
        return [isServer(host, allHosts) && pxeStatus({ rack, card: cardWith(rack.server, facts) })];
      },
    },
  ],
});
