import * as sdk from "@aws-sdk/client-ec2";

/** The ids of one existing resource of each type, used in calls that are refused. */
export interface Things {
  readonly group: string;
  readonly image: string;
  readonly instance: string;
  /** Two volumes: the first is attached to the instance, the second is free. */
  readonly volume: string;
  readonly free: string;
  readonly zone: string;
  /** An address that is associated with the instance. */
  readonly address: string;
}

/** A call that EC2 refuses. */
export interface Refusal {
  readonly what: string;
  readonly send: (client: sdk.EC2Client, things: Things) => Promise<unknown>;
  /** EC2's error code, from https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html. */
  readonly code: string;
  /** The wrong response that moto sends: another code, `accepted`, or `Error` if moto itself fails (HTTP 500). */
  readonly moto?: string;
}

/** A valid public key. */
export const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC";

const none = "0123456789abcdef0";
const http = { IpProtocol: "tcp", FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: "0.0.0.0/0" }] };
const one = { MinCount: 1, MaxCount: 1, InstanceType: "m5.large", KeyName: "here" } as const;
const ssh = { ...http, FromPort: 22, ToPort: 22 };

/** Creates one resource of each type. */
export async function makeThings(client: sdk.EC2Client, zone: string, owner: string, name: string): Promise<Things> {
  await client.send(new sdk.ImportKeyPairCommand({ KeyName: "here", PublicKeyMaterial: Buffer.from(publicKey) }));
  const { GroupId: group = "" } = await client.send(
    new sdk.CreateSecurityGroupCommand({ GroupName: "here", Description: "here" }),
  );
  await client.send(new sdk.AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [http] }));
  const filters = [{ Name: "name", Values: [name] }];
  const { Images = [] } = await client.send(new sdk.DescribeImagesCommand({ Owners: [owner], Filters: filters }));
  const image = Images[0]?.ImageId ?? "";
  const placed = { ImageId: image, MinCount: 1, MaxCount: 1, Placement: { AvailabilityZone: zone } };
  const { Instances = [] } = await client.send(
    new sdk.RunInstancesCommand({ ...placed, InstanceType: "m5.large", KeyName: "here", SecurityGroupIds: [group] }),
  );
  const instance = Instances[0]?.InstanceId ?? "";
  await sdk.waitUntilInstanceRunning({ client, maxWaitTime: 60, minDelay: 1 }, { InstanceIds: [instance] });
  const made = { AvailabilityZone: zone, Size: 10, VolumeType: "gp3" } as const;
  const [volume = "", free = ""] = await Promise.all(
    [1, 2].map(async () => (await client.send(new sdk.CreateVolumeCommand(made))).VolumeId),
  );
  await client.send(new sdk.AttachVolumeCommand({ VolumeId: volume, InstanceId: instance, Device: "/dev/sdf" }));
  const { AllocationId: address = "" } = await client.send(new sdk.AllocateAddressCommand({ Domain: "vpc" }));
  await client.send(new sdk.AssociateAddressCommand({ AllocationId: address, InstanceId: instance }));
  return { group, image, instance, volume, free, zone, address };
}

/** Calls that are refused, most of them typical of a rerun or a typo. */
export const refusals: readonly Refusal[] = [
  {
    what: "a key pair whose name is taken",
    send: (client) =>
      client.send(
        new sdk.ImportKeyPairCommand({ KeyName: "here", PublicKeyMaterial: Buffer.from("ssh-ed25519 AAAA") }),
      ),
    code: "InvalidKeyPair.Duplicate",
  },
  {
    what: "an invalid key pair",
    send: (client) =>
      client.send(new sdk.ImportKeyPairCommand({ KeyName: "bad", PublicKeyMaterial: Buffer.from("ssh-ed25519") })),
    code: "InvalidKey.Format",
    moto: "InvalidKeyPair.Format",
  },
  {
    what: "a group whose name is taken",
    send: (client) => client.send(new sdk.CreateSecurityGroupCommand({ GroupName: "here", Description: "here" })),
    code: "InvalidGroup.Duplicate",
  },
  {
    what: "a rule that already exists",
    send: (client, { group }) =>
      client.send(new sdk.AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [http] })),
    code: "InvalidPermission.Duplicate",
  },
  {
    what: "to remove a missing rule",
    send: (client, { group }) =>
      client.send(new sdk.RevokeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [ssh] })),
    code: "InvalidPermission.NotFound",
  },
  {
    what: "a rule for a missing group",
    send: (client) =>
      client.send(new sdk.AuthorizeSecurityGroupIngressCommand({ GroupId: `sg-${none}`, IpPermissions: [http] })),
    code: "InvalidGroup.NotFound",
  },
  {
    what: "to delete a missing group",
    send: (client) => client.send(new sdk.DeleteSecurityGroupCommand({ GroupId: `sg-${none}` })),
    code: "InvalidGroup.NotFound",
  },
  {
    what: "to delete a group that is in use",
    send: (client, { group }) => client.send(new sdk.DeleteSecurityGroupCommand({ GroupId: group })),
    code: "DependencyViolation",
    moto: "accepted",
  },
  {
    what: "to read a missing image",
    send: (client) => client.send(new sdk.DescribeImagesCommand({ ImageIds: [`ami-${none}`] })),
    code: "InvalidAMIID.NotFound",
  },
  {
    what: "to read a missing type",
    send: (client) => client.send(new sdk.DescribeInstanceTypesCommand({ InstanceTypes: ["m99.large" as never] })),
    code: "InvalidInstanceType",
  },
  {
    what: "to read a missing machine",
    send: (client) => client.send(new sdk.DescribeInstancesCommand({ InstanceIds: [`i-${none}`] })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "to read a machine with an invalid id",
    send: (client) => client.send(new sdk.DescribeInstancesCommand({ InstanceIds: ["i-none"] })),
    code: "InvalidInstanceID.Malformed",
    moto: "InvalidInstanceID.NotFound",
  },
  {
    what: "to launch from a missing image",
    send: (client) => client.send(new sdk.RunInstancesCommand({ ...one, ImageId: `ami-${none}` })),
    code: "InvalidAMIID.NotFound",
  },
  {
    what: "to launch with a missing key pair",
    send: (client, { image }) => client.send(new sdk.RunInstancesCommand({ ...one, ImageId: image, KeyName: "none" })),
    code: "InvalidKeyPair.NotFound",
  },
  {
    what: "to launch in a missing group",
    send: (client, { image }) =>
      client.send(new sdk.RunInstancesCommand({ ...one, ImageId: image, SecurityGroupIds: [`sg-${none}`] })),
    code: "InvalidGroup.NotFound",
  },
  {
    // As quoted from EC2 in https://github.com/getmoto/moto/issues/1695.
    what: "to launch with a missing type",
    send: (client, { image }) =>
      client.send(new sdk.RunInstancesCommand({ ...one, ImageId: image, InstanceType: "m99.large" as never })),
    code: "InvalidParameterValue",
    moto: "InvalidInstanceType.NotFound",
  },
  {
    what: "to start a missing machine",
    send: (client) => client.send(new sdk.StartInstancesCommand({ InstanceIds: [`i-${none}`] })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "to terminate a missing machine",
    send: (client) => client.send(new sdk.TerminateInstancesCommand({ InstanceIds: [`i-${none}`] })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "another type for a running machine",
    send: (client, { instance: InstanceId }) =>
      client.send(new sdk.ModifyInstanceAttributeCommand({ InstanceId, InstanceType: { Value: "t3.micro" } })),
    code: "IncorrectInstanceState",
    moto: "accepted",
  },
  {
    what: "to read the console of a missing machine",
    send: (client) => client.send(new sdk.GetConsoleOutputCommand({ InstanceId: `i-${none}` })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "to tag a missing resource",
    send: (client) =>
      client.send(new sdk.CreateTagsCommand({ Resources: [`i-${none}`], Tags: [{ Key: "a", Value: "b" }] })),
    code: "InvalidInstanceID.NotFound",
    moto: "accepted",
  },
  {
    what: "to read a missing volume",
    send: (client) => client.send(new sdk.DescribeVolumesCommand({ VolumeIds: [`vol-${none}`] })),
    code: "InvalidVolume.NotFound",
  },
  {
    what: "a volume in a missing zone",
    send: (client) =>
      client.send(new sdk.CreateVolumeCommand({ AvailabilityZone: "xx-none-1a", Size: 10, VolumeType: "gp3" })),
    code: "InvalidZone.NotFound",
    moto: "accepted",
  },
  {
    what: "to attach a missing volume",
    send: (client, { instance: InstanceId }) =>
      client.send(new sdk.AttachVolumeCommand({ VolumeId: `vol-${none}`, InstanceId, Device: "/dev/sdh" })),
    code: "InvalidVolume.NotFound",
  },
  {
    what: "to attach a volume to a missing machine",
    send: (client, { free: VolumeId }) =>
      client.send(new sdk.AttachVolumeCommand({ VolumeId, InstanceId: `i-${none}`, Device: "/dev/sdh" })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "to attach a volume that is attached",
    send: (client, { volume: VolumeId, instance: InstanceId }) =>
      client.send(new sdk.AttachVolumeCommand({ VolumeId, InstanceId, Device: "/dev/sdh" })),
    code: "VolumeInUse",
    moto: "accepted",
  },
  {
    // As quoted from EC2 in https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1801.
    what: "to detach a volume that is free",
    send: (client, { free: VolumeId }) => client.send(new sdk.DetachVolumeCommand({ VolumeId })),
    code: "IncorrectState",
    moto: "Error",
  },
  {
    what: "to delete a volume that is attached",
    send: (client, { volume: VolumeId }) => client.send(new sdk.DeleteVolumeCommand({ VolumeId })),
    code: "VolumeInUse",
  },
  {
    what: "to delete a missing volume",
    send: (client) => client.send(new sdk.DeleteVolumeCommand({ VolumeId: `vol-${none}` })),
    code: "InvalidVolume.NotFound",
  },
  {
    what: "a smaller volume",
    send: (client, { free: VolumeId }) => client.send(new sdk.ModifyVolumeCommand({ VolumeId, Size: 5 })),
    code: "InvalidParameterValue",
    moto: "accepted",
  },
  {
    what: "to associate a missing address",
    send: (client, { instance: InstanceId }) =>
      client.send(new sdk.AssociateAddressCommand({ AllocationId: `eipalloc-${none}`, InstanceId })),
    code: "InvalidAllocationID.NotFound",
  },
  {
    what: "to associate an address with a missing machine",
    send: (client, { address: AllocationId }) =>
      client.send(new sdk.AssociateAddressCommand({ AllocationId, InstanceId: `i-${none}` })),
    code: "InvalidInstanceID.NotFound",
  },
  {
    what: "to disassociate a free address",
    send: (client) => client.send(new sdk.DisassociateAddressCommand({ AssociationId: `eipassoc-${none}` })),
    code: "InvalidAssociationID.NotFound",
  },
  {
    what: "to release an address that is associated with a machine",
    send: (client, { address: AllocationId }) => client.send(new sdk.ReleaseAddressCommand({ AllocationId })),
    code: "InvalidIPAddress.InUse",
    moto: "accepted",
  },
  {
    what: "to release a missing address",
    send: (client) => client.send(new sdk.ReleaseAddressCommand({ AllocationId: `eipalloc-${none}` })),
    code: "InvalidAllocationID.NotFound",
  },
];
