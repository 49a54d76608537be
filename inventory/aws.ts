/**
 * The machines that furrow has made in EC2, as playbooks/provision-aws.ts does, each with its data disks as the var
 * `disks`. AWS_REGION says where, or a list in FURROW_AWS_REGIONS.
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
