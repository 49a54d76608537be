/**
 * The machines that playbooks/clouds/provision-azure.ts created, with the vars that playbooks/harvester.ts needs.
 * AZURE_SUBSCRIPTION_ID names the subscription. The cluster's token and password are generated once and then reused;
 * your own inventory may set them with `secret.env` or `secret.prompt` instead.
 */
import { generated, inventory } from "furrow";
import { azureInventory } from "furrow/cloud";

export default [
  azureInventory({
    tags: { "made-by": "furrow" },
    groupBy: ({ location, tags }) => [location, `cluster-${tags["prefix"] ?? "none"}`],
    vars: (machine) => ({
      azure: machine,
      ...(machine.tags["prefix"] !== undefined && { prefix: machine.tags["prefix"] }),
      disks: machine.disks,
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
