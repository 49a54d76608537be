/**
 * Creates a droplet at DigitalOcean on which a Harvester cluster can run: SSH key, firewall, a volume for each node,
 * and a droplet with dedicated CPUs. The playbook runs on this machine, with the API token in DIGITALOCEAN_ACCESS_TOKEN
 * or in the secret var `digitalOceanToken`: `furrow run playbooks/clouds/provision-digitalocean.ts -i local --var
 * publicKey="$(cat ~/.ssh/id_ed25519.pub)"`. inventory/digitalocean.ts then lists the droplet: `furrow run
 * playbooks/harvester.ts -i inventory/digitalocean.ts`. playbooks/clouds/destroy-cloud.ts deletes it.
 *
 * Vars: `publicKey` is required; for the rest, see roles/digitalocean-host/role.ts.
 */
import { playbook } from "furrow";
import { ownNetwork } from "../../roles/cloud-host/own-network.ts";
import { digitalOceanHost, digitalOceanHostSchema } from "../../roles/digitalocean-host/role.ts";

export default playbook({
  name: "A droplet at DigitalOcean",
  vars: digitalOceanHostSchema,
  plays: [
    {
      name: "DigitalOcean",
      hosts: "all",
      tasks: ({ vars }) => {
        const own = ownNetwork({});
        const isOwn = vars.manageFrom === undefined;
        return [isOwn && own, digitalOceanHost(vars, vars.manageFrom ?? [own.output])];
      },
    },
  ],
});
