/**
 * The machines that furrow created in EC2, for example with playbooks/provision-aws.ts, each with its data disks in the
 * var `disks`. Set AWS_REGION to a region, or FURROW_AWS_REGIONS to a list of regions.
 */
import { ec2Inventory } from "furrow/cloud";

const regions = process.env["FURROW_AWS_REGIONS"]?.split(",");

export default ec2Inventory({
  ...(regions !== undefined && { regions }),
  filters: { "tag:furrow": "*" },
  groupBy: ({ region, tags }) => [region, `cluster-${tags["prefix"] ?? "none"}`],
  user: ({ tags }) => tags["login"],
  vars: (machine) => ({ ec2: machine, disks: machine.disks.map(({ path }) => path) }),
});
