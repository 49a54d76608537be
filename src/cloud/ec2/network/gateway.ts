import type { InternetGateway, RouteTable } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2InternetGatewayState } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { onlyOne } from "../one.ts";
import { ownId } from "../own.ts";
import { allOf } from "../pages.ts";
import { placeholder } from "../placeholder.ts";
import { filter, marksOf, ownTags, tagging } from "../tags.ts";
import { createOnce, untilShown } from "./make.ts";
import { vpcId } from "./vpc.ts";

/** The destination of a default route: every address that no other route covers. */
const everything = "0.0.0.0/0";

/** The internet gateway with the given Name tag, its VPC, and whether that VPC's main route table uses it. */
export async function internetGateway(ec2: Ec2, name: string): Promise<Ec2InternetGatewayState | Absent> {
  const found = await rawGateway(ec2, name);
  if (found === absent) return absent;
  const { InternetGatewayId: id = "", Tags } = found;
  const vpc = vpcOf(found);
  const table = vpc === "" ? undefined : await mainTable(ec2, vpc);
  return { id, vpc, routed: defaultRoute(table)?.GatewayId === id, ...marksOf(Tags) };
}

async function rawGateway(ec2: Ec2, name: string): Promise<InternetGateway | Absent> {
  const input = { Filters: [filter("tag:Name", name)] };
  const doing = `look for the internet gateway ${name}`;
  const pages = ec2.sdk.paginateDescribeInternetGateways;
  const found = await allOf(ec2, doing, pages, input, ({ InternetGateways }) => InternetGateways);
  return onlyOne(found, `internet gateway ${name}`, ({ InternetGatewayId = "" }) => InternetGatewayId);
}

function ownGateway(ec2: Ec2, name: string, found: InternetGateway | Absent, seen: string | undefined): string {
  const marked = found === absent ? absent : { id: found.InternetGatewayId ?? "", ours: marksOf(found.Tags).ours };
  return ownId(ec2, marked, { name: `internet gateway ${name}`, prefix: "igw", seen });
}

function vpcOf({ Attachments = [] }: InternetGateway): string {
  return Attachments[0]?.VpcId ?? "";
}

/** The main route table of a VPC. */
export async function mainTable(ec2: Ec2, vpc: string): Promise<RouteTable | undefined> {
  const input = { Filters: [filter("vpc-id", vpc), filter("association.main", "true")] };
  const doing = `look for the route table of ${vpc}`;
  const pages = ec2.sdk.paginateDescribeRouteTables;
  const [found] = await allOf(ec2, doing, pages, input, ({ RouteTables }) => RouteTables);
  return found;
}

function defaultRoute(table: RouteTable | undefined) {
  return table?.Routes?.find(({ DestinationCidrBlock }) => DestinationCidrBlock === everything);
}

/** Creates an internet gateway that is not attached to any VPC. */
export async function createInternetGateway(
  ec2: Ec2,
  { name, tags }: Extract<Ec2Act, { act: "createInternetGateway" }>,
): Promise<void> {
  const command = new ec2.sdk.CreateInternetGatewayCommand({
    TagSpecifications: tagging(ownTags(name, tags), "internet-gateway"),
  });
  await createOnce(
    ec2,
    `the internet gateway ${name}`,
    () => rawGateway(ec2, name),
    () => ec2.client.send(command, ec2.http),
  );
}

/** Attaches an internet gateway to a VPC. If a killed run has already attached it, that counts as success. */
export async function attachInternetGateway(
  ec2: Ec2,
  { name, id, vpc, seenVpc }: Extract<Ec2Act, { act: "attachInternetGateway" | "routeToInternet" }>,
): Promise<void> {
  const InternetGatewayId = ownGateway(ec2, name, await rawGateway(ec2, name), id);
  const VpcId = await vpcId(ec2, vpc, seenVpc);
  const command = new ec2.sdk.AttachInternetGatewayCommand({ InternetGatewayId, VpcId });
  try {
    await told(ec2, `attach the internet gateway ${name} to ${vpc}`, ec2.client.send(command, ec2.http));
  } catch (error) {
    if (codeOf(error) !== "Resource.AlreadyAssociated") throw error;
  }
  await untilShown(ec2, `the internet gateway ${name} to be attached`, async () => {
    const now = await rawGateway(ec2, name);
    return now !== absent && vpcOf(now) === VpcId;
  });
}

/** Makes an internet gateway the default route of its VPC's main route table. */
export async function routeToInternet(
  ec2: Ec2,
  { name, id, vpc, seenVpc }: Extract<Ec2Act, { act: "attachInternetGateway" | "routeToInternet" }>,
): Promise<void> {
  const GatewayId = ownGateway(ec2, name, await rawGateway(ec2, name), id);
  const table = await mainTable(ec2, await vpcId(ec2, vpc, seenVpc));
  const missing = ec2.dry === true ? placeholder("rtb") : undefined;
  const route = { RouteTableId: table?.RouteTableId ?? missing, DestinationCidrBlock: everything, GatewayId };
  const command =
    defaultRoute(table) === undefined ? new ec2.sdk.CreateRouteCommand(route) : new ec2.sdk.ReplaceRouteCommand(route);
  await told(ec2, `route the traffic of ${vpc} to ${name}`, ec2.client.send(command as never, ec2.http));
  await untilShown(ec2, `the route of ${vpc} to appear`, async () => {
    const now = await internetGateway(ec2, name);
    return now !== absent && now.routed;
  });
}

/** Removes the route to an internet gateway, detaches it from its VPC, and deletes it. */
export async function deleteInternetGateway(
  ec2: Ec2,
  { name, id }: Extract<Ec2Act, { act: "deleteInternetGateway" }>,
): Promise<void> {
  const found = await rawGateway(ec2, name);
  if (found === absent) return;
  const InternetGatewayId = ownGateway(ec2, name, found, id);
  const VpcId = vpcOf(found);
  const table = VpcId === "" ? undefined : await mainTable(ec2, VpcId);
  const doing = `delete the internet gateway ${name}`;
  if (table !== undefined && defaultRoute(table)?.GatewayId === InternetGatewayId) {
    const { RouteTableId } = table;
    const command = new ec2.sdk.DeleteRouteCommand({ RouteTableId, DestinationCidrBlock: everything });
    await told(ec2, doing, ec2.client.send(command, ec2.http));
  }
  if (VpcId !== "") {
    const command = new ec2.sdk.DetachInternetGatewayCommand({ InternetGatewayId, VpcId });
    await told(ec2, doing, ec2.client.send(command, ec2.http));
  }
  await told(ec2, doing, ec2.client.send(new ec2.sdk.DeleteInternetGatewayCommand({ InternetGatewayId }), ec2.http));
  await untilShown(
    ec2,
    `the internet gateway ${name} to disappear`,
    async () => (await rawGateway(ec2, name)) === absent,
  );
}
