/**
 * The machines that furrow has made in EC2, as playbooks/provision-aws.ts does. AWS_REGION, or a list of regions in
 * FURROW_AWS_REGIONS, says where; FURROW_AWS_USER who logs in, `ubuntu` without it.
 */
import { ec2Inventory } from "furrow/cloud";

const regions = process.env["FURROW_AWS_REGIONS"]?.split(",");

export default ec2Inventory({
  ...(regions !== undefined && { regions }),
  filters: { "tag:furrow": "*" },
  groupBy: ["region", "tag:furrow-prefix"],
  user: process.env["FURROW_AWS_USER"] ?? "ubuntu",
});
