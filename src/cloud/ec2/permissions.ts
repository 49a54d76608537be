import type { Ec2Act, Ec2Question } from "../../facts/cloud/ec2/index.ts";

/** The EC2 actions that a query needs; those that depend on its fields are added in {@link permissionsToRead}. */
const questions: Readonly<Record<Ec2Question["ask"], readonly string[]>> = {
  keyPair: ["DescribeKeyPairs"],
  securityGroup: ["DescribeSecurityGroups"],
  image: ["DescribeImages"],
  machineType: ["DescribeInstanceTypes"],
  instance: ["DescribeInstances", "DescribeVolumes"],
  holder: ["DescribeInstances"],
  terminationProtection: ["DescribeInstances", "DescribeInstanceAttribute"],
  volume: ["DescribeVolumes"],
  address: ["DescribeAddresses"],
  zones: ["DescribeAvailabilityZones"],
  typeZones: ["DescribeInstanceTypeOfferings"],
  vpc: ["DescribeVpcs"],
  subnet: ["DescribeSubnets"],
  internetGateway: ["DescribeInternetGateways", "DescribeRouteTables"],
  wayOut: ["DescribeSubnets", "DescribeRouteTables", "DescribeVpcEndpoints"],
  hostManagement: ["ssm:GetServiceSetting"],
  defaultVpc: ["DescribeVpcs", "DescribeSubnets"],
  addressQuota: ["DescribeAccountAttributes", "DescribeAddresses"],
  vpcQuota: ["DescribeVpcs", "servicequotas:GetServiceQuota"],
  processorQuota: ["DescribeInstances", "DescribeInstanceTypes", "servicequotas:GetServiceQuota"],
};

/**
 * The EC2 permissions that an action always needs; those that depend on its fields are added in {@link
 * permissionsToCall}.
 */
const acts: Readonly<Record<Ec2Act["act"], readonly string[]>> = {
  importKeyPair: ["ImportKeyPair", "CreateTags", "DescribeKeyPairs"],
  deleteKeyPair: ["DeleteKeyPair", "DescribeKeyPairs"],
  createSecurityGroup: ["CreateSecurityGroup", "CreateTags", "DescribeSecurityGroups"],
  setRules: ["DescribeSecurityGroups"],
  deleteSecurityGroup: ["DeleteSecurityGroup", "DescribeSecurityGroups", "DescribeInstances"],
  setTags: ["CreateTags"],
  launch: ["RunInstances", "CreateTags", "DescribeInstances", "DescribeImages"],
  start: ["StartInstances", "DescribeInstances"],
  stop: ["StopInstances", "DescribeInstances"],
  terminate: ["TerminateInstances", "DescribeInstances"],
  keepDisks: ["ModifyInstanceAttribute", "DescribeInstances"],
  readHostKeys: ["GetConsoleOutput", "CreateTags", "DescribeInstances"],
  alterInstance: ["DescribeInstances"],
  resizeDisk: ["ModifyVolume", "DescribeVolumes"],
  createVolume: ["CreateVolume", "CreateTags", "DescribeVolumes"],
  attachVolume: ["AttachVolume", "DescribeVolumes", "DescribeInstances"],
  detachVolume: ["DetachVolume", "DescribeVolumes"],
  deleteVolume: ["DeleteVolume", "DescribeVolumes"],
  allocateAddress: ["AllocateAddress", "CreateTags", "DescribeAddresses"],
  associateAddress: ["AssociateAddress", "DescribeAddresses", "DescribeInstances"],
  disassociateAddress: ["DisassociateAddress", "DescribeAddresses"],
  releaseAddress: ["ReleaseAddress", "DescribeAddresses"],
  createVpc: ["CreateVpc", "CreateTags", "DescribeVpcs"],
  deleteVpc: ["DeleteVpc", "DescribeVpcs"],
  createSubnet: ["CreateSubnet", "CreateTags", "DescribeSubnets", "DescribeVpcs"],
  setPublicAddresses: ["ModifySubnetAttribute", "DescribeSubnets"],
  deleteSubnet: ["DeleteSubnet", "DescribeSubnets"],
  createInternetGateway: ["CreateInternetGateway", "CreateTags", "DescribeInternetGateways"],
  attachInternetGateway: ["AttachInternetGateway", "DescribeInternetGateways", "DescribeVpcs"],
  routeToInternet: ["CreateRoute", "ReplaceRoute", "DescribeInternetGateways", "DescribeVpcs", "DescribeRouteTables"],
  deleteInternetGateway: [
    "DeleteInternetGateway",
    "DetachInternetGateway",
    "DeleteRoute",
    "DescribeInternetGateways",
    "DescribeRouteTables",
  ],
};

/** The permissions that a query needs, as in a policy: `ec2:DescribeVpcs`. */
export function permissionsToRead(question: Ec2Question): readonly string[] {
  const isInVpc = question.ask === "securityGroup" && question.vpc !== undefined;
  return named([...questions[question.ask], ...(isInVpc ? ["DescribeVpcs"] : [])]);
}

/** The permissions that an action needs, including those for its own queries. */
export function permissionsToCall(act: Ec2Act): readonly string[] {
  const more = moreFor(act).flatMap(([is, ...actions]) => (is ? actions : []));
  return named([...acts[act.act], ...more]);
}

type More = readonly [is: boolean, ...actions: string[]];

function moreFor(act: Ec2Act): readonly More[] {
  switch (act.act) {
    case "createSecurityGroup":
    case "deleteSecurityGroup":
      return [[act.vpc !== undefined, "DescribeVpcs"]];
    case "setRules":
      return [
        [act.vpc !== undefined, "DescribeVpcs"],
        [act.add.length > 0, "AuthorizeSecurityGroupIngress"],
        [act.remove.length > 0, "RevokeSecurityGroupIngress"],
      ];
    case "createVolume":
      // A rehearsal takes any zone if the machine does not exist yet.
      return [[act.instance !== undefined, "DescribeInstances", "DescribeAvailabilityZones"]];
    case "launch": {
      const { keyPair, securityGroups, vpc, subnet, instanceProfile } = act.launch;
      return [
        // Only the rehearsal looks for the key.
        [keyPair !== undefined, "DescribeKeyPairs"],
        [securityGroups.length > 0, "DescribeSecurityGroups"],
        [vpc !== undefined, "DescribeVpcs"],
        [subnet !== undefined, "DescribeSubnets"],
        [instanceProfile !== undefined, "iam:PassRole"],
      ];
    }
    case "alterInstance": {
      const { type, nested, securityGroups, instanceProfile, terminationProtection, metadataHopLimit, vpc } = act;
      const attributes = [type, securityGroups, terminationProtection];
      return [
        [attributes.some((value) => value !== undefined), "ModifyInstanceAttribute"],
        [securityGroups !== undefined, "DescribeSecurityGroups"],
        [securityGroups !== undefined && vpc !== undefined, "DescribeVpcs"],
        [nested !== undefined, "ModifyInstanceCpuOptions"],
        [metadataHopLimit !== undefined, "ModifyInstanceMetadataOptions"],
        [
          instanceProfile !== undefined,
          "DescribeIamInstanceProfileAssociations",
          "AssociateIamInstanceProfile",
          "ReplaceIamInstanceProfileAssociation",
          "iam:PassRole",
        ],
      ];
    }
    default:
      return [];
  }
}

function named(actions: readonly string[]): readonly string[] {
  return [...new Set(actions)].map((action) => (action.includes(":") ? action : `ec2:${action}`));
}
