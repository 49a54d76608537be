/**
 * The droplets that playbooks/clouds/provision-digitalocean.ts created, with the vars that playbooks/harvester.ts
 * needs. The API token is in DIGITALOCEAN_ACCESS_TOKEN. The cluster's token and password are generated once and then
 * reused; your own inventory may set them with `secret.env` or `secret.prompt` instead.
 */
import { generated, inventory } from "furrow";
import { digitalOceanInventory } from "furrow/cloud";

/** The prefix in a droplet's `furrow:PREFIX` tag. */
const prefixOf = (tags: readonly string[]): string =>
  tags.find((tag) => tag.startsWith("furrow:"))?.slice("furrow:".length) ?? "none";

export default [
  digitalOceanInventory({
    tag: "made-by:furrow",
    groupBy: ({ region, tags }) => [region, `cluster-${prefixOf(tags)}`],
    vars: (machine) => ({
      digitalOcean: machine,
      prefix: prefixOf(machine.tags),
      disks: machine.volumes.map((name) => `/dev/disk/by-id/scsi-0DO_Volume_${name}`),
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
