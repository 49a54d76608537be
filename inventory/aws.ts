/**
 * The machines that playbooks/provision-aws.ts created in EC2, with the vars that playbooks/harvester.ts needs. Set
 * AWS_REGION to a region, or FURROW_AWS_REGIONS to a list of regions. Token and password are made once and then reused;
 * an inventory of your own may set them with `secret.env` or `secret.prompt` instead.
 */
import { generated, inventory } from "furrow";
import { ec2Inventory } from "furrow/cloud";

const regions = process.env["FURROW_AWS_REGIONS"]?.split(",");

export default [
  ec2Inventory({
    ...(regions !== undefined && { regions }),
    filters: { "tag:furrow": "*" },
    groupBy: ({ region, tags }) => [region, `cluster-${tags["prefix"] ?? "none"}`],
    user: ({ tags }) => tags["login"],
    vars: (machine) => ({
      ec2: machine,
      ...(machine.tags["prefix"] !== undefined && { prefix: machine.tags["prefix"] }),
      disks: machine.disks.map(({ path }) => path),
    }),
  }),
  inventory({ hosts: {}, vars: { token: generated("harvester/token"), password: generated("harvester/password") } }),
];
