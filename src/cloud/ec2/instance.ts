import type { Instance, Volume } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2Disk, Ec2InstanceState, Ec2TerminationProtection } from "../../facts/cloud/ec2/index.ts";
import { type Look, waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { onlyOne, there } from "./one.ts";
import { placeholder } from "./placeholder.ts";
import { filter, hostKeyTag, marksOf, tagOf } from "./tags.ts";

/** The states of a machine that is not terminated. */
const present = ["pending", "running", "stopping", "stopped", "shutting-down"];

/** The machine with the given name, as EC2 returns it. A terminated machine counts as absent. */
export async function rawInstance(ec2: Ec2, name: string): Promise<Instance | Absent> {
  const input = { Filters: [filter("tag:Name", name), filter("instance-state-name", ...present)] };
  const found: Instance[] = [];
  const all = async (): Promise<void> => {
    for await (const { Reservations = [] } of ec2.sdk.paginateDescribeInstances(
      { client: ec2.client },
      input,
      ec2.http,
    )) {
      found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
    }
  };
  await told(ec2, `look for the instance ${name}`, all());
  // A machine that is shutting down does not conflict with its replacement.
  const staying = found.filter(({ State }) => State?.Name !== "shutting-down");
  return onlyOne(staying.length > 0 ? staying : found, `instance ${name}`, ({ InstanceId = "" }) => InstanceId);
}

/** The machine with the given name and its disks, as a furrow fact. */
export async function instance(ec2: Ec2, name: string): Promise<Ec2InstanceState | Absent> {
  const found = await rawInstance(ec2, name);
  if (found === absent) return absent;
  const { InstanceId: id = "" } = found;
  const command = new ec2.sdk.DescribeVolumesCommand({ Filters: [filter("attachment.instance-id", id)] });
  const { Volumes = [] } = await told(ec2, `list the disks of ${name}`, ec2.client.send(command, ec2.http));
  return stateOf(found, Volumes);
}

/** Whether the machine with the given name is protected against termination. */
export async function terminationProtection(ec2: Ec2, name: string): Promise<Ec2TerminationProtection | Absent> {
  const found = await rawInstance(ec2, name);
  if (found === absent) return absent;
  const command = new ec2.sdk.DescribeInstanceAttributeCommand({
    InstanceId: found.InstanceId,
    Attribute: "disableApiTermination",
  });
  const doing = `read the termination protection of ${name}`;
  const { DisableApiTermination } = await told(ec2, doing, ec2.client.send(command, ec2.http));
  return { on: DisableApiTermination?.Value === true };
}

function stateOf(found: Instance, volumes: readonly Volume[]): Ec2InstanceState {
  const key = tagOf(found.Tags, hostKeyTag);
  return {
    id: found.InstanceId ?? "",
    state: (found.State?.Name ?? "pending") as Ec2InstanceState["state"],
    type: found.InstanceType ?? "",
    image: found.ImageId ?? "",
    keyPair: found.KeyName ?? "",
    securityGroups: (found.SecurityGroups ?? []).map(({ GroupName = "" }) => GroupName).toSorted(),
    nested: found.CpuOptions?.NestedVirtualization === "enabled",
    spot: found.InstanceLifecycle === "spot",
    zone: found.Placement?.AvailabilityZone ?? "",
    subnet: found.SubnetId ?? "",
    address: found.PublicIpAddress ?? "",
    privateAddress: found.PrivateIpAddress ?? "",
    instanceProfile: found.IamInstanceProfile?.Arn?.split("/").at(-1) ?? "",
    metadataHopLimit: found.MetadataOptions?.HttpPutResponseHopLimit ?? 0,
    rootDevice: found.RootDeviceName ?? "",
    disks: Object.fromEntries(volumes.flatMap((volume) => diskOf(volume))),
    hostKeys: key === "" ? [] : [key],
    verified: key !== "",
    ...marksOf(found.Tags),
  };
}

function diskOf(volume: Volume): [string, Ec2Disk][] {
  const [attachment] = volume.Attachments ?? [];
  if (attachment?.Device === undefined) return [];
  return [[attachment.Device, { ...sizeOf(volume), deleteOnTermination: attachment.DeleteOnTermination ?? false }]];
}

/** The size and speed of a volume; 0 for settings that its type does not have. */
export function sizeOf(volume: Volume): Omit<Ec2Disk, "deleteOnTermination"> {
  return {
    id: volume.VolumeId ?? "",
    sizeGb: volume.Size ?? 0,
    type: volume.VolumeType ?? "",
    iops: volume.Iops ?? 0,
    throughput: volume.Throughput ?? 0,
  };
}

/**
 * The machine with the given name, which must exist. Throws FurrowError E_DRIVER otherwise; in a rehearsal, returns a
 * machine with nothing but a placeholder id.
 */
export async function itsInstance(ec2: Ec2, name: string): Promise<Instance> {
  const found = await rawInstance(ec2, name);
  return found === absent && ec2.dry === true ? { InstanceId: placeholder("i") } : there(found, `instance ${name}`);
}

/**
 * Waits until the machine with the given id is in the given state. EC2 might not show the machine yet if it was just
 * launched.
 */
export function untilState(ec2: Ec2, id: string, name: string, state: string, deadlineSeconds: number): Promise<void> {
  const command = new ec2.sdk.DescribeInstancesCommand({ Filters: [filter("instance-id", id)] });
  return waitUntil<void>(
    async (): Promise<Look<void>> => {
      const { Reservations = [] } = await told(ec2, `look at ${name}`, ec2.client.send(command, ec2.http));
      const [found] = Reservations.flatMap(({ Instances = [] }) => Instances);
      const seen = found?.State?.Name ?? "not visible yet";
      if (seen === state) return { done: undefined };
      const reason = found?.StateReason?.Message;
      return { meanwhile: reason === undefined || reason === "" ? seen : `${seen} (${reason})` };
    },
    {
      waitsFor: `instance ${name} (${id}) to be ${state}`,
      deadlineSeconds,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Check the instance in the AWS console, or raise deadlineSeconds",
    },
  );
}
