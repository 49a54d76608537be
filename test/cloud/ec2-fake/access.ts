import type { Answer, Param } from "./wire.ts";
import { ApiError, list, text, texts } from "./wire.ts";
import { glob, pageOf, passes, shown, tagSet, tagsOf, type World } from "./world.ts";

/** Performs one action of the API. */
export type Action = (world: World, params: Param) => Answer;

/** Actions on key pairs, security groups, images and types, and tags. */
export const accessActions: Readonly<Record<string, Action>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
  DescribeAvailabilityZones: ({ region }) => ({
    availabilityZoneInfo: ["a", "b", "c"].map((letter) => ({
      zoneName: `${region}${letter}`,
      zoneState: "available",
      regionName: region,
    })),
  }),
  DescribeKeyPairs: (world, params) => ({
    keySet: shown(world.keyPairs)
      .filter((pair) => passes(params, pair, { "key-name": pair.name }))
      .map((pair) => ({
        keyPairId: pair.id,
        keyName: pair.name,
        keyType: "ed25519",
        publicKey: text(params, "IncludePublicKey") === "true" ? `${pair.publicKey} ${pair.name}` : undefined,
        tagSet: tagSet(pair),
      })),
  }),
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImportKeyPair.html
  ImportKeyPair: (world, params) => {
    const name = text(params, "KeyName") ?? "";
    if (world.keyPairs.some((pair) => pair.name === name)) {
      throw new ApiError("InvalidKeyPair.Duplicate", `The keypair '${name}' already exists.`);
    }
    const publicKey = Buffer.from(text(params, "PublicKeyMaterial") ?? "", "base64")
      .toString("utf8")
      .trim();
    if (!/^ssh-(ed25519|rsa) \S+/.test(publicKey)) {
      throw new ApiError("InvalidKey.Format", "Key is not in valid OpenSSH public key format");
    }
    const id = world.id("key");
    const bare = publicKey.split(" ").slice(0, 2).join(" ");
    const tags = tagsOf(params, "key-pair");
    world.keyPairs.push({ id, late: world.behaviour.lateness, tags, name, publicKey: bare });
    return { keyName: name, keyPairId: id };
  },
  DeleteKeyPair: (world, params) => {
    const name = text(params, "KeyName");
    const at = world.keyPairs.findIndex((pair) => pair.name === name);
    if (at >= 0) world.keyPairs.splice(at, 1);
    return { return: true };
  },
  DescribeSecurityGroups: (world, params) =>
    pageOf(
      world,
      params,
      "securityGroupInfo",
      shown(world.groups)
        .filter((group) =>
          passes(params, group, { "group-name": group.name, "vpc-id": group.vpc, "group-id": group.id }),
        )
        .map((group) => ({
          ownerId: "123456789012",
          groupId: group.id,
          groupName: group.name,
          groupDescription: group.description,
          vpcId: group.vpc,
          ipPermissions: [...group.rules].map((rule) => permission(rule)),
          tagSet: tagSet(group),
        })),
    ),
  CreateSecurityGroup: (world, params) => {
    const name = text(params, "GroupName") ?? "";
    const vpc = text(params, "VpcId") ?? world.vpcs.find(({ isDefault }) => isDefault)?.id;
    if (vpc === undefined) throw new ApiError("VPCIdNotSpecified", "No default VPC for this user");
    mustHave(world, vpc);
    if (world.groups.some((group) => group.name === name && group.vpc === vpc)) {
      throw new ApiError("InvalidGroup.Duplicate", `The security group '${name}' already exists for VPC '${vpc}'`);
    }
    const id = world.id("sg");
    const description = text(params, "GroupDescription") ?? "";
    const tags = tagsOf(params, "security-group");
    world.groups.push({ id, late: world.behaviour.lateness, tags, name, vpc, description, rules: new Set() });
    return { return: true, groupId: id };
  },
  AuthorizeSecurityGroupIngress: (world, params) => {
    const group = groupOf(world, params);
    for (const rule of rulesIn(params)) {
      if (group.rules.has(rule)) {
        throw new ApiError("InvalidPermission.Duplicate", `the specified rule "${rule}" already exists`);
      }
      group.rules.add(rule);
    }
    return { return: true };
  },
  RevokeSecurityGroupIngress: (world, params) => {
    const group = groupOf(world, params);
    for (const rule of rulesIn(params)) {
      if (!group.rules.delete(rule)) {
        throw new ApiError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
      }
    }
    return { return: true };
  },
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSecurityGroup.html
  DeleteSecurityGroup: (world, params) => {
    const group = groupOf(world, params);
    if (world.instances.some(({ state, groups }) => state !== "terminated" && groups.includes(group.id))) {
      throw new ApiError("DependencyViolation", `resource ${group.id} has a dependent object`);
    }
    world.groups.splice(world.groups.indexOf(group), 1);
    return { return: true };
  },
  DescribeImages: (world, params) => {
    const ids = texts(params, "ImageId");
    const owners = texts(params, "Owner");
    const unknown = ids.find((id) => !world.images.some((image) => image.id === id));
    if (unknown !== undefined) {
      throw new ApiError("InvalidAMIID.NotFound", `The image id '[${unknown}]' does not exist`);
    }
    const filters = new Map(list(params, "Filter").map((f) => [text(f, "Name") ?? "", texts(f, "Value")]));
    const fits = (name: string, value: string): boolean =>
      filters.get(name)?.some((pattern) => glob(pattern, value)) ?? true;
    const found = world.images.filter(
      (image) =>
        (ids.length === 0 || ids.includes(image.id)) &&
        (owners.length === 0 || owners.includes(image.owner)) &&
        fits("name", image.name) &&
        fits("architecture", image.architecture),
    );
    return pageOf(
      world,
      params,
      "imagesSet",
      found.map((image) => ({
        imageId: image.id,
        name: image.name,
        imageOwnerId: image.owner,
        imageState: "available",
        architecture: image.architecture,
        rootDeviceName: image.rootDevice,
        blockDeviceMapping:
          image.rootGb === undefined
            ? []
            : [{ deviceName: image.rootDevice, ebs: { volumeSize: image.rootGb, volumeType: "gp3" } }],
        creationDate: image.created,
      })),
    );
  },
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
  DescribeInstanceTypes: (_world, params) => {
    const asked = texts(params, "InstanceType");
    const unknown = asked.find((type) => !(type in types));
    if (unknown !== undefined) {
      throw new ApiError("InvalidInstanceType", `The following supplied instance types do not exist: [${unknown}]`);
    }
    const onlyNesting = list(params, "Filter").some((f) => text(f, "Name") === "processor-info.supported-features");
    // A metal type has no hypervisor, so nested virtualization is not among its supported features.
    const found = Object.entries(types).filter(
      ([type, nests]) => (asked.length === 0 || asked.includes(type)) && (!onlyNesting || nests),
    );
    return {
      instanceTypeSet: found.map(([type, nests]) => ({
        instanceType: type,
        bareMetal: type.endsWith(".metal"),
        supportedUsageClasses: type.endsWith(".metal") ? ["on-demand"] : ["on-demand", "spot"],
        vCpuInfo: { defaultVCpus: processors(type) },
        processorInfo: {
          supportedArchitectures: [type.startsWith("c8g") ? "arm64" : "x86_64"],
          supportedFeatures: nests ? ["nested-virtualization"] : [],
        },
      })),
    };
  },
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html
  DescribeInstanceTypeOfferings: (world, params) => {
    const { region, behaviour } = world;
    const asked = list(params, "Filter").flatMap((filter) => texts(filter, "Value"));
    const offers = asked
      .filter((type) => type in types)
      .flatMap((type) =>
        ["a", "b", "c"]
          .filter((letter) => letter === "a" || !behaviour.onlyInZoneA.includes(type))
          .map((letter) => ({ instanceType: type, locationType: "availability-zone", location: `${region}${letter}` })),
      );
    return pageOf(world, params, "instanceTypeOfferingSet", offers);
  },
  CreateTags: (world, params) => {
    for (const id of texts(params, "ResourceId")) {
      const thing = world.thing(id);
      if (thing === undefined) throw new ApiError(unknownId(id), `The ID '${id}' does not exist`);
      for (const tag of list(params, "Tag")) thing.tags.set(text(tag, "Key") ?? "", text(tag, "Value") ?? "");
    }
    return { return: true };
  },
};

/** The API's error code for tags on a resource that does not exist. */
function unknownId(id: string): string {
  const sort = { i: "InvalidInstanceID.NotFound", vol: "InvalidVolume.NotFound" }[id.split("-")[0] ?? ""];
  return sort ?? "InvalidID";
}

/** The number of virtual processors of a type, by its size. */
export function processors(type: string): number {
  const [, count = "1"] = /\.(\d*)xlarge$/.exec(type) ?? [];
  return type.endsWith("xlarge") ? 4 * Number(count === "" ? "1" : count) : type.endsWith("metal") ? 96 : 2;
}

/** The known instance types, and whether they support nested virtualization. */
export const types: Readonly<Record<string, boolean>> = {
  "t3.micro": false,
  "m5.large": false,
  "m5.metal": false,
  "c8g.large": false,
  "c8i.2xlarge": true,
  "m8i.4xlarge": true,
  "m8i.8xlarge": true,
  "m8i.16xlarge": true,
  "r8i.2xlarge": true,
};

function mustHave(world: World, vpc: string): void {
  if (!world.vpcs.some(({ id }) => id === vpc)) {
    throw new ApiError("InvalidVpcID.NotFound", `The vpc ID '${vpc}' does not exist`);
  }
}

function groupOf(world: World, params: Param) {
  const id = text(params, "GroupId") ?? "";
  const group = world.groups.find((one) => one.id === id);
  if (group === undefined) throw new ApiError("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
  return group;
}

/**
 * The rules in a request, one source each, as the fake stores them: the bits of an address after its prefix are set to
 * zero, as in EC2 (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html).
 */
function rulesIn(params: Param): string[] {
  return list(params, "IpPermissions").flatMap((one) => {
    const head = [text(one, "IpProtocol"), text(one, "FromPort") ?? "", text(one, "ToPort") ?? ""].join(" ");
    const sources = [
      ...list(one, "IpRanges").map((range) => masked(text(range, "CidrIp") ?? "")),
      ...list(one, "Ipv6Ranges").map((range) => text(range, "CidrIpv6")),
      ...list(one, "Groups").map((group) => text(group, "GroupId")),
    ];
    return sources.map((source) => `${head} ${source ?? ""}`);
  });
}

function masked(network: string): string {
  const [address = "", prefix = ""] = network.split("/");
  const whole = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(prefix));
  const first = Math.floor(whole / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${prefix}`;
}

function permission(rule: string): Answer {
  const [protocol, from, to, source = ""] = rule.split(" ");
  const isGroup = source.startsWith("sg-");
  const is6 = !isGroup && source.includes(":");
  return {
    ipProtocol: protocol,
    fromPort: from === "" ? undefined : from,
    toPort: to === "" ? undefined : to,
    groups: isGroup ? [{ groupId: source }] : [],
    ipRanges: isGroup || is6 ? [] : [{ cidrIp: source }],
    ipv6Ranges: is6 ? [{ cidrIpv6: source }] : [],
  };
}
