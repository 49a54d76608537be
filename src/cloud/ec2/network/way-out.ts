import type { Route, RouteTable } from "@aws-sdk/client-ec2";
import { FurrowError } from "../../../core/errors.ts";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Route, Ec2WayOut } from "../../../facts/cloud/ec2/index.ts";
import type { Ec2 } from "../client.ts";
import { allOf } from "../pages.ts";
import { filter } from "../tags.ts";
import { mainTable } from "./gateway.ts";
import { subnet } from "./subnet.ts";

/** How machines in the subnet with the given id or Name tag reach addresses outside it. */
export async function wayOut(ec2: Ec2, name: string): Promise<Ec2WayOut | Absent> {
  const place = await subnet(ec2, name);
  if (place === absent) return absent;
  const table = (await ownTable(ec2, place.id)) ?? (await mainTable(ec2, place.vpc));
  if (table === undefined) {
    throw new FurrowError("E_DRIVER", {
      what: `EC2 shows no route table for the subnet ${name}`,
      current: `${place.id} in ${place.vpc}`,
      hint: "Check that the credentials allow furrow to read the route tables of the VPC, which may belong to another account",
    });
  }
  return {
    table: table.RouteTableId ?? "",
    routes: (table.Routes ?? []).map(routeOf),
    ...(await endpointsIn(ec2, place.vpc)),
  };
}

/**
 * The route table that is associated with the subnet itself. Without one, the VPC's main route table applies,
 * which the API does not list under the subnet
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html).
 */
async function ownTable(ec2: Ec2, id: string): Promise<RouteTable | undefined> {
  const input = { Filters: [filter("association.subnet-id", id)] };
  const doing = `look for the route table of ${id}`;
  const pages = ec2.sdk.paginateDescribeRouteTables;
  const [found] = await allOf(ec2, doing, pages, input, ({ RouteTables }) => RouteTables);
  return found;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html */
function routeOf(route: Route): Ec2Route {
  const through =
    route.NatGatewayId ??
    route.TransitGatewayId ??
    route.VpcPeeringConnectionId ??
    route.EgressOnlyInternetGatewayId ??
    route.NetworkInterfaceId ??
    route.InstanceId ??
    route.LocalGatewayId ??
    route.CarrierGatewayId ??
    route.CoreNetworkArn ??
    route.GatewayId ??
    "unknown";
  const to = route.DestinationCidrBlock ?? route.DestinationIpv6CidrBlock ?? route.DestinationPrefixListId ?? "";
  return { to, through, works: route.State !== "blackhole" };
}

/**
 * The services that a VPC has endpoints for. A machine finds an endpoint under the service's usual name only with
 * private DNS (https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html).
 */
async function endpointsIn(ec2: Ec2, vpc: string): Promise<Pick<Ec2WayOut, "endpoints" | "hiddenEndpoints">> {
  const found = new Map<string, boolean>();
  const input = { Filters: [filter("vpc-id", vpc)] };
  const doing = `list the endpoints of ${vpc}`;
  const all = await allOf(ec2, doing, ec2.sdk.paginateDescribeVpcEndpoints, input, ({ VpcEndpoints }) => VpcEndpoints);
  for (const { ServiceName = "", State = "", PrivateDnsEnabled, VpcEndpointType } of all) {
    if (VpcEndpointType === "Gateway") continue;
    const service = ServiceName.split(".").at(-1) ?? "";
    const isUsable = State.toLowerCase() === "available" && PrivateDnsEnabled === true;
    found.set(service, isUsable || found.get(service) === true);
  }
  const named = (usable: boolean): string[] =>
    [...found].flatMap(([service, is]) => (is === usable ? [service] : [])).toSorted();
  return { endpoints: named(true), hiddenEndpoints: named(false) };
}
