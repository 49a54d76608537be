import { types } from "./access.ts";
import { ApiError, list, numberOf, type Param, text, texts } from "./wire.ts";
import { type FakeInstance, type FakeSubnet, tagsOf, type World } from "./world.ts";

/** Launches a machine as the params of RunInstances specify, or refuses as EC2 would. */
export function launch(world: World, params: Param, token: string | undefined): FakeInstance {
  const type = text(params, "InstanceType") ?? "";
  const image = world.images.find(({ id }) => id === text(params, "ImageId"));
  if (image === undefined) {
    throw new ApiError("InvalidAMIID.NotFound", `The image id '[${text(params, "ImageId")}]' does not exist`);
  }
  if (!(type in types)) throw new ApiError("InvalidParameterValue", `Invalid value '${type}' for InstanceType.`);
  const key = text(params, "KeyName");
  if (key !== undefined && !world.keyPairs.some(({ name }) => name === key)) {
    throw new ApiError("InvalidKeyPair.NotFound", `The key pair '${key}' does not exist`);
  }
  const card = list(params, "NetworkInterface")[0];
  const groups = [...texts(params, "SecurityGroupId"), ...texts(card, "SecurityGroupId")];
  const unknown = groups.find((id) => !world.groups.some((group) => group.id === id));
  if (unknown !== undefined) {
    throw new ApiError("InvalidGroup.NotFound", `The security group '${unknown}' does not exist`);
  }
  const subnet = subnetOf(world, params, groups);
  mustBoot(params, type, image.architecture, image.rootGb ?? 8, image.rootDevice);
  // Metal types do not accept CPU options:
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-optimize-cpu.html
  const nested = text(params, "CpuOptions", "NestedVirtualization") === "enabled";
  if (nested && types[type] !== true) {
    throw new ApiError(
      "InvalidParameterCombination",
      `The instance type '${type}' does not support nested virtualization`,
    );
  }
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html
  if (world.behaviour.soldOut.includes(type)) {
    throw new ApiError("InsufficientInstanceCapacity", `We currently do not have sufficient ${type} capacity`, 500);
  }
  if (world.instances.filter(({ state }) => state !== "terminated").length >= world.behaviour.quota) {
    throw new ApiError(
      "VcpuLimitExceeded",
      "You have requested more vCPU capacity than your current vCPU limit allows",
    );
  }
  const id = world.id("i");
  const serial = world.instances.length + 1;
  const made: FakeInstance = {
    id,
    serial,
    late: world.behaviour.lateness,
    tags: tagsOf(params, "instance"),
    state: "pending",
    next: ["pending", "running"],
    type,
    image: image.id,
    key,
    groups,
    zone: subnet.zone,
    subnet: subnet.id,
    nested,
    spot: text(params, "InstanceMarketOptions", "MarketType") === "spot",
    token,
    address: hasPublicAddress(card, subnet) ? world.behaviour.addressOf(serial) : "",
    privateAddress: `10.0.${(serial >> 8) & 255}.${serial & 255}`,
    userData: text(params, "UserData"),
    profile: text(params, "IamInstanceProfile", "Name"),
    isProtected: text(params, "DisableApiTermination") === "true",
    hopLimit: numberOf(params, "MetadataOptions", "HttpPutResponseHopLimit") ?? 1,
    silent: world.behaviour.silence,
  };
  world.instances.push(made);
  const mappings = list(params, "BlockDeviceMapping");
  const roots = mappings.some((mapping) => text(mapping, "DeviceName") === image.rootDevice) ? [] : [undefined];
  for (const mapping of [...roots, ...mappings]) addDisk(world, made, mapping ?? {}, image.rootDevice, params);
  return made;
}

/** True if the description of the interface requests a public address, or if the subnet gives one by default. */
function hasPublicAddress(card: Param | undefined, subnet: FakeSubnet): boolean {
  const asked = text(card, "AssociatePublicIpAddress");
  return asked === undefined ? subnet.publicAddresses : asked === "true";
}

/**
 * The subnet in which a machine is launched. The refusals are those in
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
function subnetOf(world: World, params: Param, groups: readonly string[]): FakeSubnet {
  const zone = text(params, "Placement", "AvailabilityZone");
  const asked = text(params, "SubnetId") ?? text(params, "NetworkInterface", "1", "SubnetId");
  if (asked === undefined && !world.vpcs.some(({ isDefault }) => isDefault)) {
    throw new ApiError(
      "VPCIdNotSpecified",
      "No default VPC for this user. GroupName is only supported for EC2-Classic.",
    );
  }
  const subnet = world.subnets.find((one) =>
    asked === undefined ? one.isDefault && (zone === undefined || one.zone === zone) : one.id === asked,
  );
  if (subnet === undefined) {
    if (asked !== undefined) throw new ApiError("InvalidSubnetID.NotFound", `The subnet ID '${asked}' does not exist`);
    throw new ApiError("MissingInput", `No default subnet for availability zone: '${zone ?? "null"}'.`);
  }
  if (zone !== undefined && zone !== subnet.zone) {
    throw new ApiError("InvalidParameterValue", `The subnet is not in the availability zone ${zone}`);
  }
  const type = text(params, "InstanceType") ?? "";
  if (world.behaviour.onlyInZoneA.includes(type) && !subnet.zone.endsWith("a")) {
    throw new ApiError("Unsupported", `Your requested instance type (${type}) is not supported in ${subnet.zone}.`);
  }
  if (groups.some((id) => world.groups.find((group) => group.id === id)?.vpc !== subnet.vpc)) {
    throw new ApiError("InvalidParameter", "Security group and subnet belong to different networks.");
  }
  return subnet;
}

/** Refuses an image that the type cannot boot, and a root disk that is too small for the image. */
function mustBoot(params: Param, type: string, architecture: string, rootGb: number, rootDevice: string): void {
  if ((type.startsWith("c8g") ? "arm64" : "x86_64") !== architecture) {
    throw new ApiError("InvalidParameterValue", `The architecture '${architecture}' does not match that of ${type}`);
  }
  if (type.endsWith(".metal") && text(params, "InstanceMarketOptions", "MarketType") === "spot") {
    throw new ApiError("InvalidParameterCombination", `The instance type ${type} is not supported for spot`);
  }
  const root = list(params, "BlockDeviceMapping").find((one) => text(one, "DeviceName") === rootDevice);
  const size = numberOf(root, "Ebs", "VolumeSize") ?? rootGb;
  if (size < rootGb) {
    throw new ApiError(
      "InvalidBlockDeviceMapping",
      `Volume of size ${size}GB is smaller than snapshot, expect size >= ${rootGb}GB`,
    );
  }
}

function addDisk(world: World, made: FakeInstance, mapping: Param, rootDevice: string, params: Param): void {
  const ebs = typeof mapping === "object" ? (mapping["Ebs"] ?? {}) : {};
  const type = text(ebs, "VolumeType") ?? "gp3";
  world.volumes.push({
    id: world.id("vol"),
    late: 0,
    tags: tagsOf(params, "volume"),
    size: numberOf(ebs, "VolumeSize") ?? 8,
    type,
    iops: numberOf(ebs, "Iops") ?? (type === "gp3" ? 3000 : 100),
    throughput: numberOf(ebs, "Throughput") ?? (type === "gp3" ? 125 : undefined),
    encrypted: text(ebs, "Encrypted") === "true",
    key: text(ebs, "KmsKeyId"),
    zone: made.zone,
    state: "in-use",
    instance: made.id,
    device: text(mapping, "DeviceName") ?? rootDevice,
    deleteOnTermination: text(ebs, "DeleteOnTermination") !== "false",
  });
}
