/**
 * Creates an AWS machine on which a Harvester cluster can run: key pair, firewall, a machine with nested
 * virtualization, a data disk for each node, and an address. The playbook runs on this machine: `furrow run
 * playbooks/clouds/provision-aws.ts -i local --var publicKey="$(cat ~/.ssh/id_ed25519.pub)"`. inventory/aws.ts then
 * lists the machine, with the SSH host key from its console: `furrow run playbooks/harvester.ts -i inventory/aws.ts`.
 * playbooks/clouds/destroy-cloud.ts deletes the machine.
 *
 * With `publicAddress=false`, the machine has only a private address, and `tunnel=sessionManager`, `proxyJump` or
 * `insideNetwork` specifies how SSH reaches it. Vars: `publicKey` is required; for the rest, see
 * roles/aws-host/role.ts.
 */
import { playbook } from "furrow";
import { awsHost, awsHostSchema } from "../../roles/aws-host/role.ts";
import { ownNetwork } from "../../roles/cloud-host/own-network.ts";
import { needsOwnAddress } from "../../roles/cloud-host/reach.ts";

export default playbook({
  name: "A machine on AWS",
  vars: awsHostSchema,
  plays: [
    {
      name: "AWS",
      hosts: "all",
      tasks: ({ vars }) => {
        const own = ownNetwork({});
        const isOwn = needsOwnAddress(vars);
        return [isOwn && own, awsHost(vars, vars.manageFrom ?? (isOwn ? [own.output] : []))];
      },
    },
  ],
});
