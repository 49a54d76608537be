/**
 * The machines that playbooks/provision-gcp.ts has made, with what playbooks/harvester.ts must know of each.
 * GOOGLE_CLOUD_PROJECT says where; FURROW_GCP_USER who logs in, else the label `login`.
 */
import { generated, inventory } from "furrow";
import { gceInventory } from "furrow/cloud";

export default [
  gceInventory({
    filter: 'labels.made-by = "furrow"',
    groupBy: ({ region, labels }) => [region, `cluster-${labels["prefix"] ?? "none"}`],
    user: ({ labels }) => process.env["FURROW_GCP_USER"] ?? labels["login"],
    vars: (machine) => ({
      gce: machine,
      prefix: machine.labels["prefix"],
      disks: machine.disks.map((name) => `/dev/disk/by-id/google-${name}`),
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
