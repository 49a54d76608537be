/**
 * The machines that playbooks/clouds/provision-aws.ts created in EC2, with the vars that playbooks/harvester.ts needs.
 * Set AWS_REGION to a region, or FURROW_AWS_REGIONS to a list of regions. A machine's tags say how it is reached. The
 * cluster's token and password are generated once and then reused; your own inventory may set them with `secret.env` or
 * `secret.prompt` instead.
 */
import { generated, inventory } from "furrow";
import { ec2Inventory } from "furrow/cloud";

/** The values of the `reach` tag on machines that SSH reaches at their private address. */
const privately = new Set<string | undefined>(["private-address", "jump-host"]);
const regions = process.env["FURROW_AWS_REGIONS"]?.split(",");

export default [
  ec2Inventory({
    ...(regions !== undefined && { regions }),
    filters: { "tag:furrow": "*" },
    groupBy: ({ region, tags }) => [region, `cluster-${tags["prefix"] ?? "none"}`],
    address: ({ address, privateAddress, tags }) =>
      address === "" || privately.has(tags["reach"]) ? privateAddress : address,
    tunnel: ({ tags }) => (tags["reach"] === "session-manager" ? "sessionManager" : undefined),
    proxyJump: ({ tags }) => (tags["reach"] === "jump-host" ? tags["jump-host"] : undefined),
    user: ({ tags }) => tags["login"],
    vars: (machine) => ({
      ec2: machine,
      ...(machine.tags["prefix"] !== undefined && { prefix: machine.tags["prefix"] }),
      disks: machine.disks.map(({ path }) => path),
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
