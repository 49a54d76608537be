import type { Filter, Instance, Volume } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2Disk, Ec2Holder, Ec2InstanceState, Ec2TerminationProtection } from "../../facts/cloud/ec2/index.ts";
import { type Look, waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { onlyOne } from "./one.ts";
import { ownId, seenId } from "./own.ts";
import { allOf, listIn } from "./pages.ts";
import { diskName, filter, hostKeyTag, marksOf, tagOf } from "./tags.ts";

/** The states of a machine that is not terminated. */
const present = ["pending", "running", "stopping", "stopped", "shutting-down"];

/** The machine with the given name, as EC2 returns it. A terminated machine counts as absent. */
export async function rawInstance(ec2: Ec2, name: string): Promise<Instance | Absent> {
  const input = { Filters: [filter("tag:Name", name), filter("instance-state-name", ...present)] };
  const found = await describedInstances(ec2, `look for the instance ${name}`, input);
  // A machine that is shutting down does not conflict with its replacement.
  const staying = found.filter(({ State }) => State?.Name !== "shutting-down");
  return onlyOne(staying.length > 0 ? staying : found, `instance ${name}`, ({ InstanceId = "" }) => InstanceId);
}

/** All machines that a query finds. */
export function describedInstances(ec2: Ec2, doing: string, input: { Filters: Filter[] }): Promise<Instance[]> {
  return allOf(ec2, doing, ec2.sdk.paginateDescribeInstances, input, ({ Reservations }) =>
    Reservations?.flatMap(({ Instances }) => listIn(Instances, doing)),
  );
}

/** The name of a machine that exists, by its id. */
export async function holder(ec2: Ec2, id: string): Promise<Ec2Holder | Absent> {
  const input = { Filters: [filter("instance-id", id), filter("instance-state-name", ...present)] };
  const [found] = await describedInstances(ec2, `look for the instance ${id}`, input);
  return found === undefined ? absent : { name: tagOf(found.Tags, "Name"), ours: marksOf(found.Tags).ours };
}

/** The machine with the given name and its disks, as a furrow fact. */
export async function instance(ec2: Ec2, name: string): Promise<Ec2InstanceState | Absent> {
  const found = await rawInstance(ec2, name);
  if (found === absent) return absent;
  const { InstanceId: id = "" } = found;
  const input = { Filters: [filter("attachment.instance-id", id)] };
  const doing = `list the disks of ${name}`;
  return stateOf(found, await allOf(ec2, doing, ec2.sdk.paginateDescribeVolumes, input, ({ Volumes }) => Volumes));
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
    disks: Object.fromEntries(volumes.flatMap((volume) => diskOf(volume, found))),
    hostKeys: key === "" ? [] : [key],
    verified: key !== "",
    ...marksOf(found.Tags),
  };
}

function diskOf(volume: Volume, machine: Instance): [string, Ec2Disk][] {
  const attachment = volume.Attachments?.find(({ InstanceId }) => InstanceId === machine.InstanceId);
  if (attachment?.Device === undefined) return [];
  const { Device: device, DeleteOnTermination: deleteOnTermination = false } = attachment;
  const isMade = marksOf(volume.Tags).ours && tagOf(volume.Tags, "Name") === diskName(tagOf(machine.Tags, "Name"));
  const own = device === machine.RootDeviceName || isMade;
  return [[device, { ...sizeOf(volume), deleteOnTermination, own }]];
}

/** The size and speed of a volume; 0 for settings that its type does not have. */
export function sizeOf(volume: Volume): Omit<Ec2Disk, "deleteOnTermination" | "own"> {
  return {
    id: volume.VolumeId ?? "",
    sizeGb: volume.Size ?? 0,
    type: volume.VolumeType ?? "",
    iops: volume.Iops ?? 0,
    throughput: volume.Throughput ?? 0,
  };
}

/**
 * The machine with the given name, which must exist and, if `seen` is given, have that id. Throws FurrowError E_DRIVER
 * otherwise; in a rehearsal, returns a machine with nothing but a placeholder id.
 */
export async function itsInstance(ec2: Ec2, name: string, seen?: string): Promise<Instance> {
  const found = await rawInstance(ec2, name);
  const InstanceId = seenId(ec2, markedInstance(found), { ...calledInstance(name), seen });
  return found === absent ? { InstanceId } : found;
}

/** Like {@link itsInstance}, for a machine that is about to be changed: the machine must have furrow's tag. */
export async function ownInstance(ec2: Ec2, name: string, seen: string | undefined): Promise<Instance> {
  const found = await rawInstance(ec2, name);
  const InstanceId = ownId(ec2, markedInstance(found), { ...calledInstance(name), seen });
  return found === absent ? { InstanceId } : found;
}

function calledInstance(name: string): { readonly name: string; readonly prefix: string } {
  return { name: `instance ${name}`, prefix: "i" };
}

function markedInstance(found: Instance | Absent) {
  return found === absent ? absent : { id: found.InstanceId ?? "", ours: marksOf(found.Tags).ours };
}

/**
 * Waits until the machine with the given id is in the given state. EC2 might not show the machine yet if it was just
 * launched.
 */
export function untilState(ec2: Ec2, id: string, name: string, state: string, deadlineSeconds: number): Promise<void> {
  const input = { Filters: [filter("instance-id", id)] };
  return waitUntil<void>(
    async (): Promise<Look<void>> => {
      const [found] = await describedInstances(ec2, `look at ${name}`, input);
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
