import type { Permission } from "../../core/host/driver.ts";
import type { Ec2Act, Ec2Question } from "../../facts/cloud/ec2/index.ts";
import { permissionsToCall, permissionsToRead } from "./permissions.ts";
import { ownTag } from "./tags.ts";

/** The resource types that EC2 checks for an action. */
interface Touched {
  /** Types that the call creates with furrow's tag. */
  readonly made?: readonly string[];
  /** Types that already have furrow's tag, because furrow refuses to change others. */
  readonly own?: readonly string[];
  /** Types that may belong to anyone. */
  readonly any?: readonly string[];
}

/**
 * The resource types of each action that changes something, limited to those that furrow's calls use
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html). A machine's disks may have
 * been attached by someone else, and a VPC's route table is created with the VPC, so neither needs furrow's tag.
 */
const touched: Readonly<Record<string, Touched>> = {
  ImportKeyPair: { made: ["key-pair"] },
  DeleteKeyPair: { own: ["key-pair"] },
  CreateSecurityGroup: { made: ["security-group"], any: ["vpc"] },
  DeleteSecurityGroup: { own: ["security-group"] },
  AuthorizeSecurityGroupIngress: { own: ["security-group"], any: ["security-group-rule"] },
  RevokeSecurityGroupIngress: { own: ["security-group"] },
  RunInstances: {
    made: ["instance", "volume"],
    any: ["image", "key-pair", "network-interface", "security-group", "snapshot", "spot-instances-request", "subnet"],
  },
  StartInstances: { own: ["instance"] },
  StopInstances: { own: ["instance"] },
  TerminateInstances: { own: ["instance"] },
  GetConsoleOutput: { own: ["instance"] },
  ModifyInstanceAttribute: { own: ["instance"], any: ["security-group"] },
  ModifyInstanceCpuOptions: { own: ["instance"] },
  ModifyInstanceMetadataOptions: { own: ["instance"] },
  AssociateIamInstanceProfile: { own: ["instance"] },
  ReplaceIamInstanceProfileAssociation: { own: ["instance"] },
  CreateVolume: { made: ["volume"] },
  AttachVolume: { own: ["volume"], any: ["instance"] },
  DetachVolume: { own: ["volume"], any: ["instance"] },
  ModifyVolume: { any: ["volume"] },
  DeleteVolume: { own: ["volume"] },
  AllocateAddress: { made: ["elastic-ip"], any: ["ipv4pool-ec2"] },
  AssociateAddress: { own: ["elastic-ip"], any: ["instance", "network-interface"] },
  DisassociateAddress: { own: ["elastic-ip"], any: ["network-interface"] },
  ReleaseAddress: { own: ["elastic-ip"] },
  CreateVpc: { made: ["vpc"] },
  DeleteVpc: { own: ["vpc"] },
  CreateSubnet: { made: ["subnet"], any: ["vpc"] },
  ModifySubnetAttribute: { own: ["subnet"] },
  DeleteSubnet: { own: ["subnet"] },
  CreateInternetGateway: { made: ["internet-gateway"] },
  AttachInternetGateway: { own: ["internet-gateway"], any: ["vpc"] },
  DetachInternetGateway: { own: ["internet-gateway"], any: ["vpc"] },
  DeleteInternetGateway: { own: ["internet-gateway"] },
  CreateRoute: { any: ["route-table"] },
  ReplaceRoute: { any: ["route-table"] },
  DeleteRoute: { any: ["route-table"] },
};

/** The types of the resources that can be tagged later, by the prefix of their ids. */
const typesById: Readonly<Record<string, string>> = {
  eipalloc: "elastic-ip",
  i: "instance",
  igw: "internet-gateway",
  key: "key-pair",
  sg: "security-group",
  subnet: "subnet",
  vol: "volume",
  vpc: "vpc",
};

const isOwn = { Null: { [`aws:ResourceTag/${ownTag}`]: "false" } };
const isMade = { StringEquals: { [`aws:RequestTag/${ownTag}`]: "1" } };

/** The permissions that a query needs. Permissions for calls that only read cannot be limited to certain resources. */
export function grantsToRead(question: Ec2Question): readonly Permission[] {
  return permissionsToRead(question).map((name) => ({ name }));
}

/** The permissions that an action needs, limited to the resources that its calls may touch. */
export function grantsToCall(act: Ec2Act): readonly Permission[] {
  const names = permissionsToCall(act).map((name) => name.replace(/^ec2:/, ""));
  const place = placeOf(act.region);
  return [...names.flatMap((name) => grantsOf(name, names, act, place)), ...keyGrants(act, place)];
}

/** A region (`*` if it is not known) and its partition. */
interface Place {
  readonly region: string;
  readonly partition: string;
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html, partitions. */
function placeOf(region = process.env["AWS_REGION"] ?? "*"): Place {
  const partition = region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
  return { region, partition };
}

function grantsOf(name: string, all: readonly string[], act: Ec2Act, place: Place): readonly Permission[] {
  if (name === "iam:PassRole") return [passRole(place)];
  if (name === "CreateTags") return tagGrants(all, act, place);
  const types = touched[name];
  if (types === undefined) return [{ name: name.includes(":") ? name : `ec2:${name}` }];
  const grants = [
    { types: types.made, condition: isMade },
    { types: types.own, condition: isOwn },
    { types: types.any, condition: undefined },
  ];
  return grants.flatMap(({ types: some, condition }) =>
    some === undefined
      ? []
      : [{ name: `ec2:${name}`, resources: arnsOf(some, place), ...(condition !== undefined && { condition }) }],
  );
}

/** Public images and snapshots belong to no account, so their account is empty; `*` matches that too. */
function arnsOf(types: readonly string[], { region, partition }: Place): readonly string[] {
  return types.map((type) => `arn:${partition}:ec2:${region}:*:${type}/*`);
}

/** Tags are set in the call that creates a resource, or later on a resource that has furrow's tag. */
function tagGrants(all: readonly string[], act: Ec2Act, place: Place): readonly Permission[] {
  const name = "ec2:CreateTags";
  const creating = all.filter((action) => touched[action]?.made !== undefined);
  const later = {
    setTags: act.act === "setTags" ? [typesById[act.id.split("-")[0] ?? ""] ?? "*"] : [],
    readHostKeys: ["instance"],
    // The number of terminated machines is stored on a security group.
    launch: ["security-group"],
  };
  const own = later[act.act as keyof typeof later] ?? [];
  return [
    ...creating.map((action) => ({
      name,
      resources: arnsOf(touched[action]?.made ?? [], place),
      condition: { StringEquals: { "ec2:CreateAction": action } },
    })),
    ...(own.length > 0 ? [{ name, resources: arnsOf(own, place), condition: isOwn }] : []),
  ];
}

/**
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html. A profile's role may have another name.
 */
function passRole({ partition }: Place): Permission {
  const service = partition === "aws-cn" ? "ec2.amazonaws.com.cn" : "ec2.amazonaws.com";
  return {
    name: "iam:PassRole",
    resources: [`arn:${partition}:iam::*:role/*`],
    condition: { StringEquals: { "iam:PassedToService": service } },
  };
}

/**
 * Permission to use customer managed keys:
 * https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html. The key policy must permit it too.
 */
function keyGrants(act: Ec2Act, place: Place): readonly Permission[] {
  const keys =
    act.act === "launch"
      ? act.launch.disks.map(({ kmsKey }) => kmsKey)
      : act.act === "createVolume"
        ? [act.kmsKey]
        : [];
  const domain = place.partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  const via = { StringLike: { "kms:ViaService": `ec2.${place.region}.${domain}` } };
  return [...new Set(keys)].flatMap((key) => {
    if (key === undefined) return [];
    const resources = [keyArn(key, place)];
    const uses = ["Decrypt", "DescribeKey", "GenerateDataKeyWithoutPlaintext", "ReEncrypt*"];
    return [
      ...uses.map((use) => ({ name: `kms:${use}`, resources, condition: via })),
      { name: "kms:CreateGrant", resources, condition: { Bool: { "kms:GrantIsForAWSResource": "true" } } },
    ];
  });
}

/** A policy identifies a key by its id only, so an alias stands for any key: it may be given to another key later. */
function keyArn(key: string, { region, partition }: Place): string {
  if (/^arn:.*:key\//.test(key)) return key;
  return `arn:${partition}:kms:${region}:*:key/${key.includes("alias/") ? "*" : key}`;
}
