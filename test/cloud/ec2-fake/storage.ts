import type { Action } from "./access.ts";
import { ApiError, numberOf, type Param, text, texts } from "./wire.ts";
import { type FakeVolume, madeBefore, page, passes, shown, tagSet, tagsOf, type World } from "./world.ts";

/** Actions on volumes and elastic addresses. */
export const storageActions: Readonly<Record<string, Action>> = {
  DescribeVolumes: (world, params) => {
    const ids = texts(params, "VolumeId");
    const missing = ids.find((id) => !world.volumes.some((volume) => volume.id === id && volume.late <= 0));
    const found = shown(world.volumes).filter(
      (one) => (ids.length === 0 || ids.includes(one.id)) && passes(params, one, valuesOf(one)),
    );
    if (missing !== undefined) throw new ApiError("InvalidVolume.NotFound", `The volume '${missing}' does not exist.`);
    // A call that names volumes has a single page.
    const { part, next } = ids.length > 0 ? { part: found, next: undefined } : page(params, found, world);
    const set = part.map((one) => ({
      volumeId: one.id,
      size: one.size,
      volumeType: one.type,
      iops: one.iops,
      throughput: one.throughput,
      encrypted: one.encrypted,
      availabilityZone: one.zone,
      status: one.state,
      attachmentSet:
        one.instance === undefined
          ? []
          : [
              {
                volumeId: one.id,
                instanceId: one.instance,
                device: one.device,
                status: "attached",
                deleteOnTermination: one.deleteOnTermination,
              },
            ],
      tagSet: tagSet(one),
    }));
    for (const one of part) if (one.state === "creating") one.state = "available";
    return { volumeSet: set, nextToken: next };
  },
  CreateVolume: (world, params) => {
    const token = text(params, "ClientToken");
    const before = madeBefore(world, token, params);
    const zone = text(params, "AvailabilityZone") ?? "";
    if (before !== undefined) return { volumeId: before, status: "creating", availabilityZone: zone };
    if (!zone.startsWith(world.region))
      throw new ApiError("InvalidZone.NotFound", `The zone '${zone}' does not exist.`);
    const type = text(params, "VolumeType") ?? "gp3";
    mustFit(type, numberOf(params, "Size") ?? 0, numberOf(params, "Iops"));
    const id = world.id("vol");
    world.volumes.push({
      id,
      late: world.behaviour.lateness,
      tags: tagsOf(params, "volume"),
      size: numberOf(params, "Size") ?? 0,
      type,
      iops: numberOf(params, "Iops") ?? 3000,
      throughput: numberOf(params, "Throughput") ?? 125,
      encrypted: text(params, "Encrypted") === "true",
      key: text(params, "KmsKeyId"),
      zone,
      state: "creating",
      instance: undefined,
      device: undefined,
      deleteOnTermination: false,
    });
    if (token !== undefined) world.tokens.set(token, { params: JSON.stringify(params), id });
    return { volumeId: id, status: "creating", availabilityZone: zone };
  },
  AttachVolume: (world, params) => {
    const one = volumeOf(world, params);
    if (one.instance !== undefined) throw new ApiError("VolumeInUse", `${one.id} is already attached to an instance`);
    const id = text(params, "InstanceId") ?? "";
    const instance = world.instances.find((machine) => machine.id === id);
    if (instance === undefined || instance.state === "terminated") {
      throw new ApiError("InvalidInstanceID.NotFound", `The instance ID '${id}' does not exist`);
    }
    if (instance.zone !== one.zone) {
      throw new ApiError("InvalidVolume.ZoneMismatch", `The volume '${one.id}' is not in the same zone as '${id}'`);
    }
    Object.assign(one, { instance: id, device: text(params, "Device"), state: "in-use" });
    return { volumeId: one.id, instanceId: id, device: one.device, status: "attaching" };
  },
  DetachVolume: (world, params) => {
    const one = volumeOf(world, params);
    if (one.instance === undefined) {
      throw new ApiError("IncorrectState", `Volume '${one.id}' is in the 'available' state.`);
    }
    const from = text(params, "InstanceId");
    if (from !== undefined && from !== one.instance) {
      throw new ApiError("InvalidAttachment.NotFound", `The volume '${one.id}' is not attached to instance '${from}'.`);
    }
    Object.assign(one, { instance: undefined, device: undefined, state: "available" });
    return { volumeId: one.id, status: "detaching" };
  },
  DeleteVolume: (world, params) => {
    const one = volumeOf(world, params);
    if (one.instance !== undefined) throw new ApiError("VolumeInUse", `Volume ${one.id} is currently attached`);
    world.volumes.splice(world.volumes.indexOf(one), 1);
    return { return: true };
  },
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVolume.html
  ModifyVolume: (world, params) => {
    const one = volumeOf(world, params);
    const size = numberOf(params, "Size") ?? one.size;
    if (size < one.size) {
      throw new ApiError("InvalidParameterValue", "New size cannot be smaller than existing size");
    }
    one.size = size;
    one.type = text(params, "VolumeType") ?? one.type;
    one.iops = numberOf(params, "Iops") ?? one.iops;
    one.throughput = numberOf(params, "Throughput") ?? one.throughput;
    return { volumeModification: { volumeId: one.id, modificationState: "modifying" } };
  },
  DescribeAddresses: (world, params) => ({
    addressesSet: shown(world.addresses)
      .filter((one) => passes(params, one, { "allocation-id": one.id, "public-ip": one.ip }))
      .map((one) => ({
        allocationId: one.id,
        publicIp: one.ip,
        domain: "vpc",
        instanceId: one.instance,
        associationId: one.association,
        tagSet: tagSet(one),
      })),
  }),
  // This action accepts no client token: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
  AllocateAddress: (world, params) => {
    if (world.addresses.length >= world.behaviour.mostAddresses) {
      throw new ApiError("AddressLimitExceeded", "The maximum number of addresses has been reached.");
    }
    const id = world.id("eipalloc");
    const ip = world.behaviour.addressOf(200 + world.addresses.length);
    const tags = tagsOf(params, "elastic-ip");
    world.addresses.push({ id, late: world.behaviour.lateness, tags, ip, instance: undefined, association: undefined });
    return { allocationId: id, publicIp: ip, domain: "vpc" };
  },
  AssociateAddress: (world, params) => {
    const one = addressOf(world, "AllocationId", params);
    const id = text(params, "InstanceId") ?? "";
    const instance = world.instances.find((machine) => machine.id === id);
    if (instance === undefined || instance.state === "terminated") {
      throw new ApiError("InvalidInstanceID.NotFound", `The instance ID '${id}' does not exist`);
    }
    if (instance.state === "pending") {
      throw new ApiError(
        "InvalidInstanceID",
        `The pending instance '${id}' is not in a valid state for this operation.`,
      );
    }
    one.instance = id;
    one.association ??= world.id("eipassoc");
    return { return: true, associationId: one.association };
  },
  DisassociateAddress: (world, params) => {
    const association = text(params, "AssociationId");
    const one = world.addresses.find((address) => address.association === association);
    if (one === undefined) throw new ApiError("InvalidAssociationID.NotFound", "The association does not exist");
    one.instance = undefined;
    one.association = undefined;
    return { return: true };
  },
  ReleaseAddress: (world, params) => {
    const one = addressOf(world, "AllocationId", params);
    if (one.association !== undefined) throw new ApiError("InvalidIPAddress.InUse", `Address ${one.ip} is in use.`);
    world.addresses.splice(world.addresses.indexOf(one), 1);
    return { return: true };
  },
};

/**
 * Some of the checks that EC2 makes before it creates a volume:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html
 */
function mustFit(type: string, size: number, iops: number | undefined): void {
  const least = type === "st1" || type === "sc1" ? 125 : type.startsWith("io") ? 4 : 1;
  const most = type === "gp3" || type === "io2" ? 65_536 : type === "standard" ? 1024 : 16_384;
  if (size < least || size > most) {
    throw new ApiError("InvalidParameterValue", `Volume of ${size}GiB is outside of ${least}-${most} for type ${type}`);
  }
  const takes = type === "gp3" || type.startsWith("io");
  if (iops !== undefined && !takes) {
    throw new ApiError("InvalidParameterCombination", `The parameter iops is not supported for ${type} volumes.`);
  }
  if (iops === undefined && type.startsWith("io")) {
    throw new ApiError("MissingParameter", `The parameter iops must be specified for ${type} volumes.`);
  }
}

function valuesOf(one: FakeVolume): Record<string, string | readonly string[]> {
  return {
    "attachment.instance-id": one.instance ?? [],
    status: one.state,
    "volume-id": one.id,
    "availability-zone": one.zone,
  };
}

function volumeOf(world: World, params: Param): FakeVolume {
  const id = text(params, "VolumeId") ?? "";
  const one = world.volumes.find((volume) => volume.id === id);
  if (one === undefined) throw new ApiError("InvalidVolume.NotFound", `The volume '${id}' does not exist.`);
  return one;
}

function addressOf(world: World, name: string, params: Param) {
  const id = text(params, name) ?? "";
  const one = world.addresses.find((address) => address.id === id);
  if (one === undefined) throw new ApiError("InvalidAllocationID.NotFound", `The allocation ID '${id}' does not exist`);
  return one;
}
