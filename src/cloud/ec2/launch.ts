import type { BlockDeviceMapping, Instance, RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import { FurrowError } from "../../core/errors.ts";
import { reveal } from "../../core/secrets/secret.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { Ec2Act, Ec2Launch, Ec2LaunchDisk } from "../../facts/cloud/ec2/index.ts";
import { launchToken } from "../token.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";
import { image } from "./region/image.ts";
import { rawInstance, untilState } from "./instance.ts";
import { there } from "./one.ts";
import { hasPlaceholder } from "./placeholder.ts";
import { keyPair } from "./key-pair.ts";
import { keepGeneration, readGeneration } from "./generation.ts";
import { subnetId, subnetLike } from "./network/subnet.ts";
import { rawGroup } from "./network/security-group.ts";
import { diskName, ownTags, tagging } from "./tags.ts";

/**
 * The maximum number of generations. EC2 keeps tokens for a day, and no account launches more machines with the same
 * name and params in that time.
 */
const mostGenerations = 1000;

/**
 * Launches a machine exactly once. A rerun after a crash uses the same token, even while EC2 does not show the machine
 * yet. If the token's machine is terminated, EC2 returns that machine or an error
 * (https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html); then the next generation is launched.
 * Returns once the machine is running.
 */
export async function launch(ec2: Ec2, act: Extract<Ec2Act, { act: "launch" }>): Promise<void> {
  const { name, launch: asked, deadlineSeconds } = act;
  const going = await rawInstance(ec2, name);
  if (ec2.dry !== true && going !== absent && going.State?.Name === "shutting-down") {
    await untilState(ec2, going.InstanceId ?? "", name, "terminated", deadlineSeconds);
  }
  const input = await inputOf(ec2, name, asked);
  const first = await readGeneration(ec2, name, asked);
  for (let generation = first; generation < first + mostGenerations; generation += 1) {
    const made = await runOnce(ec2, name, input, generation);
    if (ec2.dry === true) return;
    if (made === undefined) continue;
    if (generation > first) await keepGeneration(ec2, name, asked, generation);
    await untilState(ec2, made, name, "running", deadlineSeconds);
    return;
  }
  throw new FurrowError("E_DRIVER", {
    what: `EC2 still remembers ${mostGenerations} terminated machines called ${name}`,
    hint: "Give the instance another name",
  });
}

/** Launches one generation of a machine. Returns the machine's id, or undefined if that machine is terminated. */
async function runOnce(
  ec2: Ec2,
  name: string,
  input: RunInstancesCommandInput,
  generation: number,
): Promise<string | undefined> {
  const place = await ec2.client.config.region();
  const ClientToken = launchToken({ sort: "instance", place, name, params: input, generation });
  const command = new ec2.sdk.RunInstancesCommand({ ...input, ClientToken });
  try {
    const { Instances = [] } = await told(ec2, `launch ${name}`, ec2.client.send(command, ec2.http));
    const [made] = Instances;
    return made === undefined || isGone(made) ? undefined : made.InstanceId;
  } catch (error) {
    // The error that the API has returned since January 2025: https://github.com/boto/boto3/issues/4406
    if (codeOf(error) === "IdempotentInstanceTerminated") return undefined;
    throw error;
  }
}

function isGone({ State }: Instance): boolean {
  return State?.Name === "terminated" || State?.Name === "shutting-down";
}

async function inputOf(ec2: Ec2, name: string, asked: Ec2Launch): Promise<RunInstancesCommandInput> {
  const chosen = there(await image(ec2, asked.image), `image for ${name}`);
  const groups = await Promise.all(
    asked.securityGroups.map(async (group) => {
      const found = await rawGroup(ec2, group, asked.vpc);
      if (found === absent && ec2.dry === true) return [];
      return there(found, `security group ${group}`).GroupId ?? "";
    }),
  ).then((ids) => ids.flat());
  const { userData } = asked;
  // In a rehearsal, the resources that earlier tasks create are left out.
  const hasKey = asked.keyPair !== undefined && (ec2.dry !== true || (await keyPair(ec2, asked.keyPair)) !== absent);
  return {
    ImageId: chosen.id,
    InstanceType: asked.type as never,
    MinCount: 1,
    MaxCount: 1,
    ...(hasKey && { KeyName: asked.keyPair }),
    ...networkOf(asked, groups, asked.subnet === undefined ? undefined : await launchSubnet(ec2, asked, asked.subnet)),
    ...(asked.zone !== undefined && { Placement: { AvailabilityZone: asked.zone } }),
    ...(asked.nested && { CpuOptions: { NestedVirtualization: "enabled" as const } }),
    ...(asked.spot && { InstanceMarketOptions: { MarketType: "spot" as const } }),
    BlockDeviceMappings: asked.disks.map((disk) => mappingOf(disk, chosen.rootDevice)),
    // If a token is required, a program on the machine that is tricked into fetching a URL cannot get the role's
    // credentials.
    MetadataOptions: {
      HttpTokens: "required",
      HttpEndpoint: "enabled",
      ...(asked.metadataHopLimit !== undefined && { HttpPutResponseHopLimit: asked.metadataHopLimit }),
    },
    ...(asked.instanceProfile !== undefined && { IamInstanceProfile: { Name: asked.instanceProfile } }),
    ...(asked.terminationProtection === true && { DisableApiTermination: true }),
    TagSpecifications: [
      ...tagging(ownTags(name, asked.tags), "instance"),
      ...tagging(ownTags(diskName(name), asked.tags), "volume"),
    ],
    ...(userData !== undefined && { UserData: Buffer.from(reveal(userData)).toString("base64") }),
  };
}

/**
 * The subnet of a new machine. In a rehearsal, the subnet may not exist yet, because an earlier task creates it. A
 * different subnet in the same VPC and zone then takes its place, so that EC2 still checks everything else.
 */
async function launchSubnet(ec2: Ec2, { vpc, zone }: Ec2Launch, name: string): Promise<string> {
  const id = await subnetId(ec2, name);
  return (hasPlaceholder(id) ? await subnetLike(ec2, vpc, zone) : undefined) ?? id;
}

/**
 * The network of a machine. Whether the machine gets a public address can only be set in the description of its
 * interface, which must then also contain the security groups and the subnet
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html).
 */
function networkOf(
  { publicAddress }: Ec2Launch,
  groups: readonly string[],
  SubnetId: string | undefined,
): Partial<RunInstancesCommandInput> {
  const subnet = SubnetId !== undefined && { SubnetId };
  if (publicAddress === undefined) return { ...subnet, ...(groups.length > 0 && { SecurityGroupIds: [...groups] }) };
  const own = { DeviceIndex: 0, DeleteOnTermination: true, AssociatePublicIpAddress: publicAddress };
  return { NetworkInterfaces: [{ ...own, ...subnet, ...(groups.length > 0 && { Groups: [...groups] }) }] };
}

function mappingOf(disk: Ec2LaunchDisk, rootDevice: string): BlockDeviceMapping {
  return {
    DeviceName: disk.device ?? rootDevice,
    Ebs: {
      VolumeSize: disk.sizeGb,
      VolumeType: disk.type as never,
      DeleteOnTermination: disk.deleteOnTermination,
      ...(disk.iops !== undefined && { Iops: disk.iops }),
      ...(disk.throughput !== undefined && { Throughput: disk.throughput }),
      ...(disk.encrypted !== undefined && { Encrypted: disk.encrypted }),
      ...(disk.kmsKey !== undefined && { Encrypted: true, KmsKeyId: disk.kmsKey }),
    },
  };
}
