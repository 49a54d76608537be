/**
 * Creates a machine in Azure on which a Harvester cluster can run: a resource group with a network, firewall rules, a
 * disk for each node, and a machine with nested virtualization. The playbook runs on this machine, with the login of
 * `az login`: `furrow run playbooks/clouds/provision-azure.ts -i local --var publicKey="$(cat ~/.ssh/id_ed25519.pub)"`;
 * AZURE_SUBSCRIPTION_ID names the subscription. inventory/azure.ts then lists the machine: `furrow run
 * playbooks/harvester.ts -i inventory/azure.ts`. playbooks/clouds/destroy-cloud.ts deletes it.
 *
 * Vars: `publicKey` is required; for the rest, see roles/azure-host/role.ts.
 */
import { playbook } from "furrow";
import { azureHost, azureHostSchema } from "../../roles/azure-host/role.ts";
import { ownNetwork } from "../../roles/cloud-host/own-network.ts";

export default playbook({
  name: "A machine in Azure",
  vars: azureHostSchema,
  plays: [
    {
      name: "Azure",
      hosts: "all",
      tasks: ({ vars }) => {
        const own = ownNetwork({});
        const isOwn = vars.manageFrom === undefined;
        return [isOwn && own, azureHost(vars, vars.manageFrom ?? [own.output])];
      },
    },
  ],
});
