/**
 * Creates a Google Compute Engine machine on which a Harvester cluster can run: network, firewall, a data disk for each
 * node, an address, and a machine with nested virtualization. The playbook runs on this machine: `furrow run
 * playbooks/clouds/provision-gcp.ts -i local --var project=ID --var publicKey="$(cat ~/.ssh/id_ed25519.pub)"`.
 * inventory/gcp.ts then lists the machine, with the SSH host keys from its guest agent: `furrow run
 * playbooks/harvester.ts -i inventory/gcp.ts`. playbooks/clouds/destroy-cloud.ts deletes the machine.
 *
 * With `publicAddress=false`, the machine has only an internal address, and `tunnel=iap`, `proxyJump` or
 * `insideNetwork` specifies how SSH reaches it. Vars: `project` and `publicKey` are required; for the rest, see
 * roles/gcp-host/role.ts.
 */
import { playbook } from "furrow";
import { ownNetwork } from "../../roles/cloud-host/own-network.ts";
import { needsOwnAddress } from "../../roles/cloud-host/reach.ts";
import { gcpHost, gcpHostSchema } from "../../roles/gcp-host/role.ts";

export default playbook({
  name: "A machine on Google Compute Engine",
  vars: gcpHostSchema,
  plays: [
    {
      name: "Compute Engine",
      hosts: "all",
      tasks: ({ vars }) => {
        const own = ownNetwork({});
        const isOwn = needsOwnAddress(vars);
        return [isOwn && own, gcpHost(vars, vars.manageFrom ?? (isOwn ? [own.output] : []))];
      },
    },
  ],
});
