import type { Action } from "./access.ts";
import { launch } from "./launch.ts";
import { ApiError, type Answer, list, numberOf, type Param, text, texts } from "./wire.ts";
import { type FakeInstance, madeBefore, page, passes, shown, tagSet, type World } from "./world.ts";

/** Numeric codes of the states: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceState.html */
const codes: Readonly<Record<string, number>> = {
  pending: 0,
  running: 16,
  "shutting-down": 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/**
 * Actions on machines and their life cycle:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
 */
export const machineActions: Readonly<Record<string, Action>> = {
  DescribeInstances: (world, params) => {
    const visible = shown(world.instances);
    const asked = named(world, params);
    const late = asked.find((one) => !visible.includes(one));
    if (late !== undefined) throw noInstance(late.id);
    const found = (asked.length > 0 ? asked : visible).filter((one) => passes(params, one, valuesOf(one)));
    const { part, next } = page(params, found, world);
    const set = part.map((one) => ({ reservationId: `r-${one.serial}`, instancesSet: [describe(world, one)] }));
    // Each query that lists a machine advances the machine to its next state.
    for (const one of part) one.state = one.next.shift() ?? one.state;
    return { reservationSet: set, nextToken: next };
  },
  RunInstances: (world, params) => {
    const token = text(params, "ClientToken");
    const before = world.instances.find(({ id }) => id === madeBefore(world, token, params));
    if (before !== undefined) {
      if (before.state === "terminated" && world.behaviour.usedToken === "error") {
        throw new ApiError(
          "IdempotentInstanceTerminated",
          "The client token you have provided is associated with a terminated instance. Please use a different client token.",
        );
      }
      return { reservationId: `r-${before.serial}`, instancesSet: [describe(world, before)] };
    }
    const made = launch(world, params, token);
    if (token !== undefined) world.tokens.set(token, { params: JSON.stringify(params), id: made.id });
    return { reservationId: `r-${made.serial}`, instancesSet: [describe(world, made)] };
  },
  StartInstances: (world, params) => change(world, params, ["stopped"], "pending", ["running"]),
  StopInstances: (world, params) => change(world, params, ["running"], "stopping", ["stopped"]),
  TerminateInstances: (world, params) => {
    const all = Object.keys(codes);
    const kept = named(world, params).find(({ isProtected }) => isProtected);
    if (kept !== undefined) {
      const reason = "Modify its 'disableApiTermination' instance attribute and try again.";
      throw new ApiError("OperationNotPermitted", `The instance '${kept.id}' may not be terminated. ${reason}`);
    }
    for (const one of named(world, params)) {
      // Disks that are not deleted with the machine remain; the machine's elastic address is disassociated.
      for (const volume of world.volumes.filter(({ instance }) => instance === one.id)) {
        volume.instance = undefined;
        volume.device = undefined;
        volume.state = "available";
        if (volume.deleteOnTermination) world.volumes.splice(world.volumes.indexOf(volume), 1);
      }
      for (const address of world.addresses.filter(({ instance }) => instance === one.id)) {
        address.instance = undefined;
        address.association = undefined;
      }
    }
    return change(world, params, all, "shutting-down", ["terminated"]);
  },
  ModifyInstanceAttribute: (world, params) => {
    const [one] = named(world, params);
    const type = text(params, "InstanceType", "Value");
    const groups = texts(params, "GroupId");
    if (one === undefined) return { return: false };
    if (type !== undefined) {
      mustBeStopped(one);
      one.type = type;
    }
    if (groups.length > 0) one.groups = groups;
    for (const mapping of list(params, "BlockDeviceMapping")) {
      const disk = world.volumes.find(
        ({ instance, device }) => instance === one.id && device === text(mapping, "DeviceName"),
      );
      if (disk !== undefined) disk.deleteOnTermination = text(mapping, "Ebs", "DeleteOnTermination") === "true";
    }
    const isProtected = text(params, "DisableApiTermination", "Value");
    if (isProtected !== undefined) one.isProtected = isProtected === "true";
    return { return: true };
  },
  ModifyInstanceCpuOptions: (world, params) => {
    const [one] = named(world, params);
    if (one === undefined) return {};
    mustBeStopped(one);
    one.nested = text(params, "NestedVirtualization") === "enabled";
    return { instanceId: one.id, nestedVirtualization: one.nested ? "enabled" : "disabled" };
  },
  DescribeInstanceAttribute: (world, params) => {
    const [one] = named(world, params);
    return { instanceId: one?.id, disableApiTermination: { value: one?.isProtected === true } };
  },
  ModifyInstanceMetadataOptions: (world, params) => {
    const [one] = named(world, params);
    if (one !== undefined) one.hopLimit = numberOf(params, "HttpPutResponseHopLimit") ?? one.hopLimit;
    return { instanceId: one?.id };
  },
  DescribeIamInstanceProfileAssociations: (world, params) => {
    const found = world.instances.filter(
      (one) => one.profile !== undefined && passes(params, one, { "instance-id": one.id, state: "associated" }),
    );
    const { part, next } = page(params, found, world);
    return {
      iamInstanceProfileAssociationSet: part.map((one) => ({
        associationId: `iip-assoc-${one.serial}`,
        instanceId: one.id,
        state: "associated",
      })),
      nextToken: next,
    };
  },
  AssociateIamInstanceProfile: (world, params) => {
    const [one] = named(world, params);
    if (one?.profile !== undefined) throw new ApiError("IncorrectState", "There is an existing association");
    if (one !== undefined) one.profile = text(params, "IamInstanceProfile", "Name");
    return {};
  },
  ReplaceIamInstanceProfileAssociation: (world, params) => {
    const one = world.instances.find(({ serial }) => `iip-assoc-${serial}` === text(params, "AssociationId"));
    if (one === undefined) throw new ApiError("NoSuchAssociation", "The association does not exist");
    one.profile = text(params, "IamInstanceProfile", "Name");
    return {};
  },
  GetConsoleOutput: (world, params) => {
    const [one] = named(world, params);
    if (one === undefined) return {};
    one.silent -= 1;
    // Without Latest, Nitro machines show the output posted at their last change of state, which may be empty:
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetConsoleOutput.html
    if (world.behaviour.console === "posted" && text(params, "Latest") === "true") {
      throw new ApiError("UnsupportedOperation", "This instance type does not support Latest.");
    }
    if (world.behaviour.console === "latest" && text(params, "Latest") !== "true") return { instanceId: one.id };
    return { instanceId: one.id, output: Buffer.from(consoleOf(world, one.silent)).toString("base64") };
  },
};

function valuesOf(one: FakeInstance): Record<string, string | readonly string[]> {
  return {
    "instance-id": one.id,
    "instance-state-name": one.state,
    "instance-type": one.type,
    "availability-zone": one.zone,
    "client-token": one.token ?? [],
    "key-name": one.key ?? [],
    "image-id": one.image,
    "instance.group-id": one.groups,
  };
}

function describe(world: World, one: FakeInstance): Answer {
  const isGone = one.state === "terminated";
  return {
    instanceId: one.id,
    imageId: one.image,
    instanceState: { code: codes[one.state], name: one.state },
    privateIpAddress: isGone ? undefined : one.privateAddress,
    ipAddress: isGone || one.state.startsWith("stop") ? undefined : publicAddress(world, one),
    keyName: one.key,
    instanceType: one.type,
    placement: { availabilityZone: one.zone },
    subnetId: one.subnet,
    vpcId: world.subnets.find(({ id }) => id === one.subnet)?.vpc ?? "vpc-1",
    groupSet: one.groups.map((id) => ({ groupId: id, groupName: world.groups.find((g) => g.id === id)?.name ?? "" })),
    cpuOptions: { coreCount: 8, threadsPerCore: 2, nestedVirtualization: one.nested ? "enabled" : "disabled" },
    instanceLifecycle: one.spot ? "spot" : undefined,
    iamInstanceProfile:
      one.profile === undefined
        ? undefined
        : { arn: `arn:aws:iam::123456789012:instance-profile/${one.profile}`, id: "AIPA" },
    metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: one.hopLimit, state: "applied" },
    rootDeviceName: world.images.find(({ id }) => id === one.image)?.rootDevice,
    blockDeviceMapping: world.volumes
      .filter(({ instance }) => instance === one.id)
      .map(({ id, device, deleteOnTermination }) => ({
        deviceName: device,
        ebs: { volumeId: id, status: "attached", deleteOnTermination },
      })),
    clientToken: one.token,
    tagSet: tagSet(one),
  };
}

function publicAddress(world: World, one: FakeInstance): string | undefined {
  return world.addresses.find(({ instance }) => instance === one.id)?.ip ?? one.address;
}

function named(world: World, params: Param): FakeInstance[] {
  const ids = [...texts(params, "InstanceId"), ...[text(params, "InstanceId") ?? []].flat()];
  return ids.map((id) => {
    if (!/^i-[0-9a-f]{17}$/.test(id)) throw new ApiError("InvalidInstanceID.Malformed", `Invalid id: "${id}"`);
    const one = world.instances.find((instance) => instance.id === id);
    if (one === undefined) throw noInstance(id);
    return one;
  });
}

function noInstance(id: string): ApiError {
  return new ApiError("InvalidInstanceID.NotFound", `The instance ID '${id}' does not exist`);
}

function change(world: World, params: Param, from: readonly string[], state: string, next: readonly string[]): Answer {
  const changed = named(world, params);
  for (const one of changed) {
    if (!from.includes(one.state) && one.state !== state) {
      throw new ApiError("IncorrectInstanceState", `The instance '${one.id}' is not in a state from which it can be.`);
    }
    if (one.state === "terminated" || one.state === state) continue;
    one.state = state;
    one.next = [...next];
  }
  return { instancesSet: changed.map((one) => ({ instanceId: one.id })) };
}

function mustBeStopped(one: FakeInstance): void {
  if (one.state !== "stopped") {
    throw new ApiError("IncorrectInstanceState", `The instance '${one.id}' is not in the 'stopped' state.`);
  }
}

/** Text that cloud-init writes to a console, among other lines. */
function consoleOf(world: World, silent: number): string {
  if (silent >= 0) return "[    0.000000] Linux version 6.8.0\r\n";
  return [
    "[    9.431257] cloud-init[712]: Cloud-init v. 24.1 running 'modules:final'",
    "-----BEGIN SSH HOST KEY FINGERPRINTS-----",
    "256 SHA256:AAAA root@host (ED25519)",
    "-----END SSH HOST KEY FINGERPRINTS-----",
    "-----BEGIN SSH HOST KEY KEYS-----",
    ...world.behaviour.hostKeys.map((key) => `${key} root@host`),
    "-----END SSH HOST KEY KEYS-----",
    "",
  ].join("\r\n");
}
