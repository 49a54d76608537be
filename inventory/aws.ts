/**
 * Machines that furrow made in EC2, such as by playbooks/provision-aws.ts, each with its data disks as the var `disks`.
 * AWS_REGION sets the region, or FURROW_AWS_REGIONS a list of regions.
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
