import type { Filter, Subnet } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2SubnetState } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { onlyOne } from "../one.ts";
import { ownId } from "../own.ts";
import { allOf } from "../pages.ts";
import { idOf } from "../placeholder.ts";
import { filter, marksOf, ownTags, tagging } from "../tags.ts";
import { createOnce, removeWhenFree, untilShown } from "./make.ts";
import { byName, vpcId, vpcIdIfThere } from "./vpc.ts";

/** The subnet with the given id or Name tag. */
export async function subnet(ec2: Ec2, name: string): Promise<Ec2SubnetState | Absent> {
  const all = await describedSubnets(ec2, `look for the subnet ${name}`, [byName(name, "subnet", "subnet-id")]);
  const found = onlyOne(all, `subnet ${name}`, ({ SubnetId = "" }) => SubnetId);
  if (found === absent) return absent;
  const { SubnetId: id = "", VpcId = "", CidrBlock = "", AvailabilityZone = "", MapPublicIpOnLaunch, Tags } = found;
  const publicAddresses = MapPublicIpOnLaunch === true;
  return { id, vpc: VpcId, cidr: CidrBlock, zone: AvailabilityZone, publicAddresses, ...marksOf(Tags) };
}

function describedSubnets(ec2: Ec2, doing: string, Filters: Filter[]): Promise<Subnet[]> {
  return allOf(ec2, doing, ec2.sdk.paginateDescribeSubnets, { Filters }, ({ Subnets }) => Subnets);
}

/** A subnet as {@link ownId} identifies it. */
function called(name: string, seen: string | undefined) {
  return { name: `subnet ${name}`, prefix: "subnet", seen };
}

/** The id of a subnet that must exist. Throws FurrowError E_DRIVER otherwise; in a rehearsal, returns a placeholder. */
export async function subnetId(ec2: Ec2, name: string): Promise<string> {
  return idOf(ec2, await subnet(ec2, name), { name: `subnet ${name}`, prefix: "subnet", id: ({ id }) => id });
}

/**
 * Any subnet of a VPC in the given zone. If the given VPC does not exist yet, a subnet of the default VPC. Undefined if
 * the VPC has no such subnet.
 */
export async function subnetLike(
  ec2: Ec2,
  vpc: string | undefined,
  zone: string | undefined,
): Promise<string | undefined> {
  const inside = vpc === undefined ? absent : await vpcIdIfThere(ec2, vpc);
  const [found] = await describedSubnets(ec2, "look for a subnet", [
    inside === absent ? filter("default-for-az", "true") : filter("vpc-id", inside),
    ...(zone === undefined ? [] : [filter("availability-zone", zone)]),
  ]);
  return found?.SubnetId;
}

/** Creates a subnet. */
export async function createSubnet(ec2: Ec2, act: Extract<Ec2Act, { act: "createSubnet" }>): Promise<void> {
  const { name, vpc, cidr, zone, tags } = act;
  const command = new ec2.sdk.CreateSubnetCommand({
    VpcId: await vpcId(ec2, vpc),
    CidrBlock: cidr,
    ...(zone !== undefined && { AvailabilityZone: zone }),
    TagSpecifications: tagging(ownTags(name, tags), "subnet"),
  });
  await createOnce(
    ec2,
    `the subnet ${name}`,
    () => subnet(ec2, name),
    () => ec2.client.send(command, ec2.http),
  );
}

/** Sets whether machines in a subnet get a public address by default. */
export async function setPublicAddresses(
  ec2: Ec2,
  { name, id, publicAddresses }: Extract<Ec2Act, { act: "setPublicAddresses" }>,
): Promise<void> {
  const command = new ec2.sdk.ModifySubnetAttributeCommand({
    SubnetId: ownId(ec2, await subnet(ec2, name), called(name, id)),
    MapPublicIpOnLaunch: { Value: publicAddresses },
  });
  await told(ec2, `change the subnet ${name}`, ec2.client.send(command, ec2.http));
  await untilShown(ec2, `the subnet ${name} to change`, async () => {
    const now = await subnet(ec2, name);
    return now !== absent && now.publicAddresses === publicAddresses;
  });
}

/** Deletes a subnet as soon as it is unused; the interfaces of a terminated machine may linger for a while. */
export async function deleteSubnet(ec2: Ec2, { name, id }: Extract<Ec2Act, { act: "deleteSubnet" }>): Promise<void> {
  const found = await subnet(ec2, name);
  if (found === absent) return;
  const SubnetId = ownId(ec2, found, called(name, id));
  const command = new ec2.sdk.DeleteSubnetCommand({ SubnetId });
  const remove = async (): Promise<boolean> => {
    try {
      await told(ec2, `delete the subnet ${name}`, ec2.client.send(command, ec2.http));
    } catch (error) {
      if (codeOf(error) === "DependencyViolation") return false;
      if (codeOf(error) !== "InvalidSubnetID.NotFound") throw error;
    }
    return true;
  };
  await removeWhenFree(ec2, `the subnet ${name}`, remove, () => subnet(ec2, name));
}
