import type { Vpc } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2DefaultVpc, Ec2VpcState } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { onlyOne } from "../one.ts";
import { idOf } from "../placeholder.ts";
import { filter, marksOf, ownTags, tagging } from "../tags.ts";
import { ifAllowed } from "../region/zones.ts";
import { createOnce, removeWhenFree } from "./make.ts";

/** The VPC with the given id or Name tag. */
export async function vpc(ec2: Ec2, name: string): Promise<Ec2VpcState | Absent> {
  const found = await rawVpc(ec2, name);
  return found === absent ? absent : { id: found.VpcId ?? "", cidr: found.CidrBlock ?? "", ...marksOf(found.Tags) };
}

/** A filter that finds a resource by its id if the name looks like an id, otherwise by its Name tag. */
export function byName(name: string, prefix: string, idFilter: string) {
  return isId(name, prefix) ? filter(idFilter, name) : filter("tag:Name", name);
}

async function rawVpc(ec2: Ec2, name: string): Promise<Vpc | Absent> {
  const command = new ec2.sdk.DescribeVpcsCommand({ Filters: [byName(name, "vpc", "vpc-id")] });
  const { Vpcs = [] } = await told(ec2, `look for the VPC ${name}`, ec2.client.send(command, ec2.http));
  return onlyOne(Vpcs, `VPC ${name}`, ({ VpcId = "" }) => VpcId);
}

/** The id of a VPC that is given by its id or Name tag. */
export async function vpcIdIfThere(ec2: Ec2, name: string): Promise<string | Absent> {
  if (isId(name, "vpc")) return name;
  const found = await vpc(ec2, name);
  return found === absent ? absent : found.id;
}

/** The id of a VPC that must exist. Throws FurrowError E_DRIVER otherwise; in a rehearsal, returns a placeholder. */
export async function vpcId(ec2: Ec2, name: string): Promise<string> {
  return idOf(ec2, await vpcIdIfThere(ec2, name), { name: `VPC ${name}`, prefix: "vpc", id: (id) => id });
}

function isId(name: string, prefix: string): boolean {
  return new RegExp(`^${prefix}-[0-9a-f]+$`).test(name);
}

/** The region's default VPC, and the zones in which it has a default subnet. */
export function defaultVpc(ec2: Ec2): Promise<Ec2DefaultVpc> {
  const vpcs = new ec2.sdk.DescribeVpcsCommand({ Filters: [filter("is-default", "true")] });
  const subnets = new ec2.sdk.DescribeSubnetsCommand({ Filters: [filter("default-for-az", "true")] });
  return ifAllowed<Ec2DefaultVpc>(
    async () => {
      const doing = "look for the default VPC";
      const { Vpcs = [] } = await told(ec2, doing, ec2.client.send(vpcs, ec2.http));
      const id = Vpcs[0]?.VpcId ?? "";
      if (id === "") return { known: true, id, zones: [] };
      const { Subnets = [] } = await told(ec2, doing, ec2.client.send(subnets, ec2.http));
      const zones = Subnets.flatMap(({ AvailabilityZone }) => AvailabilityZone ?? []);
      return { known: true, id, zones: zones.toSorted() };
    },
    { known: false, id: "", zones: [] },
  );
}

/** Creates a VPC. */
export async function createVpc(ec2: Ec2, { name, cidr, tags }: Extract<Ec2Act, { act: "createVpc" }>): Promise<void> {
  const command = new ec2.sdk.CreateVpcCommand({
    CidrBlock: cidr,
    TagSpecifications: tagging(ownTags(name, tags), "vpc"),
  });
  await createOnce(
    ec2,
    `the VPC ${name}`,
    () => vpc(ec2, name),
    () => ec2.client.send(command, ec2.http),
  );
}

/** Deletes a VPC as soon as it is empty. */
export async function deleteVpc(ec2: Ec2, name: string): Promise<void> {
  const found = await vpc(ec2, name);
  if (found === absent) return;
  const command = new ec2.sdk.DeleteVpcCommand({ VpcId: found.id });
  const remove = async (): Promise<boolean> => {
    try {
      await told(ec2, `delete the VPC ${name}`, ec2.client.send(command, ec2.http));
    } catch (error) {
      if (codeOf(error) === "DependencyViolation") return false;
      if (codeOf(error) !== "InvalidVpcID.NotFound") throw error;
    }
    return true;
  };
  await removeWhenFree(ec2, `the VPC ${name}`, remove, () => vpc(ec2, name));
}
