import type { Action } from "./access.ts";
import { ApiError, type Param, text } from "./wire.ts";
import { type FakeGateway, type FakeVpc, pageOf, passes, shown, tagSet, tagsOf, type World } from "./world.ts";

/** Actions on VPCs, subnets, internet gateways and routes, and the account's limits. */
export const networkActions: Readonly<Record<string, Action>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AccountAttribute.html
  DescribeAccountAttributes: ({ behaviour }) => ({
    accountAttributeSet: [
      {
        attributeName: "vpc-max-elastic-ips",
        attributeValueSet: [{ attributeValue: String(behaviour.mostAddresses) }],
      },
    ],
  }),
  DescribeVpcs: (world, params) =>
    pageOf(
      world,
      params,
      "vpcSet",
      shown(world.vpcs)
        .filter((one) => passes(params, one, { "vpc-id": one.id, "is-default": String(one.isDefault) }))
        .map((one) => ({
          vpcId: one.id,
          cidrBlock: one.cidr,
          isDefault: one.isDefault,
          state: "available",
          tagSet: tagSet(one),
        })),
    ),
  CreateVpc: (world, params) => {
    if (world.vpcs.length >= world.behaviour.mostVpcs) {
      throw new ApiError("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
    }
    const id = world.id("vpc");
    const cidr = text(params, "CidrBlock") ?? "";
    const tags = tagsOf(params, "vpc");
    world.vpcs.push({ id, late: world.behaviour.lateness, tags, cidr, isDefault: false, route: undefined });
    return { vpc: { vpcId: id, cidrBlock: cidr, state: "pending" } };
  },
  DeleteVpc: (world, params) => {
    const one = vpcOf(world, params);
    const isUsed = [...world.subnets, ...world.groups, ...world.gateways].some(({ vpc }) => vpc === one.id);
    if (isUsed)
      throw new ApiError("DependencyViolation", `The vpc '${one.id}' has dependencies and cannot be deleted.`);
    world.vpcs.splice(world.vpcs.indexOf(one), 1);
    return { return: true };
  },
  DescribeSubnets: (world, params) =>
    pageOf(
      world,
      params,
      "subnetSet",
      shown(world.subnets)
        .filter((one) =>
          passes(params, one, {
            "subnet-id": one.id,
            "vpc-id": one.vpc,
            "default-for-az": String(one.isDefault),
            "availability-zone": one.zone,
          }),
        )
        .map((one) => ({
          subnetId: one.id,
          vpcId: one.vpc,
          cidrBlock: one.cidr,
          availabilityZone: one.zone,
          defaultForAz: one.isDefault,
          mapPublicIpOnLaunch: one.publicAddresses,
          state: "available",
          tagSet: tagSet(one),
        })),
    ),
  CreateSubnet: (world, params) => {
    const { id: vpc } = vpcOf(world, params);
    const cidr = text(params, "CidrBlock") ?? "";
    if (world.subnets.some((one) => one.vpc === vpc && one.cidr === cidr)) {
      throw new ApiError("InvalidSubnet.Conflict", `The CIDR '${cidr}' conflicts with another subnet`);
    }
    const id = world.id("subnet");
    const zone = text(params, "AvailabilityZone") ?? `${world.region}a`;
    const own = { vpc, cidr, zone, isDefault: false, publicAddresses: false };
    world.subnets.push({ id, late: world.behaviour.lateness, tags: tagsOf(params, "subnet"), ...own });
    return { subnet: { subnetId: id, vpcId: vpc, cidrBlock: cidr, availabilityZone: zone } };
  },
  ModifySubnetAttribute: (world, params) => {
    const one = subnetOf(world, params);
    one.publicAddresses = text(params, "MapPublicIpOnLaunch", "Value") === "true";
    return { return: true };
  },
  DeleteSubnet: (world, params) => {
    const one = subnetOf(world, params);
    if (world.instances.some(({ subnet, state }) => subnet === one.id && state !== "terminated")) {
      throw new ApiError("DependencyViolation", `The subnet '${one.id}' has dependencies and cannot be deleted.`);
    }
    world.subnets.splice(world.subnets.indexOf(one), 1);
    return { return: true };
  },
  DescribeInternetGateways: (world, params) =>
    pageOf(
      world,
      params,
      "internetGatewaySet",
      shown(world.gateways)
        .filter((one) => passes(params, one, {}))
        .map((one) => ({
          internetGatewayId: one.id,
          attachmentSet: one.vpc === undefined ? [] : [{ vpcId: one.vpc, state: "available" }],
          tagSet: tagSet(one),
        })),
    ),
  CreateInternetGateway: (world, params) => {
    const id = world.id("igw");
    const tags = tagsOf(params, "internet-gateway");
    world.gateways.push({ id, late: world.behaviour.lateness, tags, vpc: undefined });
    return { internetGateway: { internetGatewayId: id } };
  },
  AttachInternetGateway: (world, params) => {
    const one = gatewayOf(world, params);
    const { id: vpc } = vpcOf(world, params);
    if (one.vpc !== undefined) {
      throw new ApiError("Resource.AlreadyAssociated", `resource ${one.id} is already attached to network ${one.vpc}`);
    }
    one.vpc = vpc;
    return { return: true };
  },
  DetachInternetGateway: (world, params) => {
    const one = gatewayOf(world, params);
    if (one.vpc === undefined) throw new ApiError("Gateway.NotAttached", `resource ${one.id} is not attached`);
    one.vpc = undefined;
    return { return: true };
  },
  DeleteInternetGateway: (world, params) => {
    const one = gatewayOf(world, params);
    if (one.vpc !== undefined) throw new ApiError("DependencyViolation", `${one.id} has dependencies`);
    world.gateways.splice(world.gateways.indexOf(one), 1);
    return { return: true };
  },
  // Every VPC has a main route table, which has a route for the VPC itself. Subnets may have tables of their own; those
  // without are not listed under the main table
  // (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html).
  DescribeRouteTables: (world, params) =>
    pageOf(world, params, "routeTableSet", [
      ...world.tables
        .filter((one) =>
          passes(params, one, { "vpc-id": one.vpc, "association.main": "false", "association.subnet-id": one.subnets }),
        )
        .map((one) => ({
          routeTableId: one.id,
          vpcId: one.vpc,
          routeSet: [
            {
              destinationCidrBlock: world.vpcs.find(({ id }) => id === one.vpc)?.cidr,
              gatewayId: "local",
              state: "active",
            },
            ...one.routes,
          ],
          associationSet: one.subnets.map((subnetId) => ({ routeTableId: one.id, subnetId, main: false })),
        })),
      ...world.vpcs
        .filter((one) =>
          passes(params, one, { "vpc-id": one.id, "association.main": "true", "association.subnet-id": [] }),
        )
        .map((one) => ({
          routeTableId: tableOf(one),
          vpcId: one.id,
          routeSet: [
            { destinationCidrBlock: one.cidr, gatewayId: "local", state: "active" },
            ...(one.route === undefined
              ? []
              : [{ destinationCidrBlock: "0.0.0.0/0", gatewayId: one.route, state: "active" }]),
          ],
          associationSet: [{ routeTableId: tableOf(one), main: true }],
        })),
    ]),
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcEndpoint.html
  DescribeVpcEndpoints: (world, params) =>
    pageOf(
      world,
      params,
      "vpcEndpointSet",
      shown(world.endpoints)
        .filter((one) => passes(params, one, { "vpc-id": one.vpc }))
        .map((one) => ({
          vpcEndpointId: one.id,
          vpcEndpointType: one.type,
          vpcId: one.vpc,
          serviceName: `com.amazonaws.${world.region}.${one.service}`,
          state: one.state,
          privateDnsEnabled: one.privateDns,
        })),
    ),
  CreateRoute: (world, params) => {
    const one = routedVpc(world, params);
    if (one.route !== undefined) throw new ApiError("RouteAlreadyExists", "The route already exists.");
    one.route = gatewayOf(world, { InternetGatewayId: text(params, "GatewayId") ?? "" }).id;
    return { return: true };
  },
  ReplaceRoute: (world, params) => {
    routedVpc(world, params).route = gatewayOf(world, { InternetGatewayId: text(params, "GatewayId") ?? "" }).id;
    return { return: true };
  },
  DeleteRoute: (world, params) => {
    const one = routedVpc(world, params);
    if (one.route === undefined) throw new ApiError("InvalidRoute.NotFound", "The route does not exist.");
    one.route = undefined;
    return { return: true };
  },
};

function tableOf({ id }: FakeVpc): string {
  return id.replace("vpc", "rtb");
}

function routedVpc(world: World, params: Param): FakeVpc {
  const id = text(params, "RouteTableId") ?? "";
  const one = world.vpcs.find((vpc) => tableOf(vpc) === id);
  if (one === undefined) throw new ApiError("InvalidRouteTableID.NotFound", `The routeTable ID '${id}' does not exist`);
  return one;
}

function vpcOf(world: World, params: Param): FakeVpc {
  const id = text(params, "VpcId") ?? "";
  const one = world.vpcs.find((vpc) => vpc.id === id);
  if (one === undefined) throw new ApiError("InvalidVpcID.NotFound", `The vpc ID '${id}' does not exist`);
  return one;
}

function subnetOf(world: World, params: Param) {
  const id = text(params, "SubnetId") ?? "";
  const one = world.subnets.find((subnet) => subnet.id === id);
  if (one === undefined) throw new ApiError("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`);
  return one;
}

function gatewayOf(world: World, params: Param): FakeGateway {
  const id = text(params, "InternetGatewayId") ?? "";
  const one = world.gateways.find((gateway) => gateway.id === id);
  if (one === undefined)
    throw new ApiError("InvalidInternetGatewayID.NotFound", `The internetGateway ID '${id}' does not exist`);
  return one;
}
