import type { Filter, Vpc } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2DefaultVpc, Ec2VpcState } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { onlyOne } from "../one.ts";
import { ownId, seenId } from "../own.ts";
import { allOf } from "../pages.ts";
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
  const found = await describedVpcs(ec2, `look for the VPC ${name}`, [byName(name, "vpc", "vpc-id")]);
  return onlyOne(found, `VPC ${name}`, ({ VpcId = "" }) => VpcId);
}

/** All VPCs that pass the filters. */
export function describedVpcs(ec2: Ec2, doing: string, Filters: Filter[]): Promise<Vpc[]> {
  const input = Filters.length === 0 ? {} : { Filters };
  return allOf(ec2, doing, ec2.sdk.paginateDescribeVpcs, input, ({ Vpcs }) => Vpcs);
}

/** The id of a VPC that is given by its id or Name tag. */
export async function vpcIdIfThere(ec2: Ec2, name: string): Promise<string | Absent> {
  if (isId(name, "vpc")) return name;
  const found = await vpc(ec2, name);
  return found === absent ? absent : found.id;
}

/**
 * The id of a VPC that must exist and, if `seen` is given, have that id. Throws FurrowError E_DRIVER otherwise; in a
 * rehearsal, returns a placeholder.
 */
export async function vpcId(ec2: Ec2, name: string, seen?: string): Promise<string> {
  const id = await vpcIdIfThere(ec2, name);
  return seenId(ec2, id === absent ? absent : { id }, { name: `VPC ${name}`, prefix: "vpc", seen });
}

function isId(name: string, prefix: string): boolean {
  return new RegExp(`^${prefix}-[0-9a-f]+$`).test(name);
}

/** The region's default VPC, and the zones in which it has a default subnet. */
export function defaultVpc(ec2: Ec2): Promise<Ec2DefaultVpc> {
  const { paginateDescribeSubnets: pages } = ec2.sdk;
  return ifAllowed<Ec2DefaultVpc>(
    async () => {
      const doing = "look for the default VPC";
      const [found] = await describedVpcs(ec2, doing, [filter("is-default", "true")]);
      const id = found?.VpcId ?? "";
      if (id === "") return { known: true, id, zones: [] };
      const input = { Filters: [filter("default-for-az", "true")] };
      const subnets = await allOf(ec2, doing, pages, input, ({ Subnets }) => Subnets);
      const zones = subnets.flatMap(({ AvailabilityZone }) => AvailabilityZone ?? []);
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
export async function deleteVpc(ec2: Ec2, { name, id }: Extract<Ec2Act, { act: "deleteVpc" }>): Promise<void> {
  const found = await vpc(ec2, name);
  if (found === absent) return;
  const VpcId = ownId(ec2, found, { name: `VPC ${name}`, prefix: "vpc", seen: id });
  const command = new ec2.sdk.DeleteVpcCommand({ VpcId });
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
