/**
 * The machines that playbooks/clouds/provision-gcp.ts created, with the vars that playbooks/harvester.ts needs.
 * GOOGLE_CLOUD_PROJECT sets the project, and FURROW_GCP_USER the login user. By default, the login user of a machine
 * with OS Login is the name that OS Login assigns to FURROW_GCP_ACCOUNT, or else to the account of the credentials. On
 * other machines, it is the value of the `login` label. The cluster's token and password are generated once and then
 * reused; your own inventory may set them with `secret.env` or `secret.prompt` instead.
 */
import { generated, inventory } from "furrow";
import { gceInventory } from "furrow/cloud";

/** The values of the `reach` label on machines that SSH reaches at their internal address. */
const privately = new Set<string | undefined>(["private-address", "jump-host"]);
const account = process.env["FURROW_GCP_ACCOUNT"];

export default [
  gceInventory({
    filter: 'labels.made-by = "furrow"',
    groupBy: ({ region, labels }) => [region, `cluster-${labels["prefix"] ?? "none"}`],
    ...(account !== undefined && { osLogin: account }),
    address: ({ address, internalAddress, labels }) =>
      address === "" || privately.has(labels["reach"]) ? internalAddress : address,
    tunnel: ({ labels }) => (labels["reach"] === "iap" ? "iap" : undefined),
    proxyJump: ({ labels }) => (labels["reach"] === "jump-host" ? labels["jump-host"] : undefined),
    user: ({ labels, osLogin }) =>
      process.env["FURROW_GCP_USER"] ?? (/^(?:on|secondFactor)$/.test(osLogin) ? undefined : labels["login"]),
    vars: (machine) => ({
      gce: machine,
      prefix: machine.labels["prefix"],
      disks: machine.disks.map((name) => `/dev/disk/by-id/google-${name}`),
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
