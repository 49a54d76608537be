import type { Volume } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2Act, Ec2VolumeState } from "../../facts/cloud/ec2/index.ts";
import { launchToken } from "../token.ts";
import { waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";
import { itsInstance, rawInstance, sizeOf } from "./instance.ts";
import { onlyOne, there } from "./one.ts";
import { ownId } from "./own.ts";
import { allOf } from "./pages.ts";
import { filter, marksOf, ownTags, tagging } from "./tags.ts";
import { zones } from "./region/zones.ts";

/**
 * The volume with the given name. Disks that were created together with a machine are named after the machine, so this
 * function does not find them.
 */
export async function volume(ec2: Ec2, name: string): Promise<Ec2VolumeState | Absent> {
  const found = await rawVolume(ec2, name);
  if (found === absent) return absent;
  const [attachment] = found.Attachments ?? [];
  return {
    ...sizeOf(found),
    encrypted: found.Encrypted ?? false,
    zone: found.AvailabilityZone ?? "",
    attached: attachment !== undefined,
    instance: attachment?.InstanceId ?? "",
    device: attachment?.Device ?? "",
    ...marksOf(found.Tags),
  };
}

async function rawVolume(ec2: Ec2, name: string): Promise<Volume | Absent> {
  const states = filter("status", "creating", "available", "in-use");
  const input = { Filters: [filter("tag:Name", name), states] };
  const doing = `look for the volume ${name}`;
  const found = await allOf(ec2, doing, ec2.sdk.paginateDescribeVolumes, input, ({ Volumes }) => Volumes);
  return onlyOne(found, `volume ${name}`, ({ VolumeId = "" }) => VolumeId);
}

/** A volume as {@link ownId} identifies it. */
function called(name: string, seen: string | undefined) {
  return { name: `volume ${name}`, prefix: "vol", seen };
}

/** Creates a volume exactly once, and waits until it can be attached. */
export async function createVolume(ec2: Ec2, act: Extract<Ec2Act, { act: "createVolume" }>): Promise<void> {
  const { name, size, encrypted, kmsKey, zone, instance, tags, deadlineSeconds } = act;
  const where = zone ?? (await zoneOf(ec2, instance));
  const input = {
    AvailabilityZone: where,
    Size: size.sizeGb,
    VolumeType: size.type as never,
    Encrypted: encrypted,
    ...(kmsKey !== undefined && { KmsKeyId: kmsKey }),
    ...(size.iops !== undefined && { Iops: size.iops }),
    ...(size.throughput !== undefined && { Throughput: size.throughput }),
    TagSpecifications: tagging(ownTags(name, tags), "volume"),
  };
  const place = await ec2.client.config.region();
  // If a token's volume was deleted, the token is used up, so the next one is tried.
  for (let generation = 0; ; generation += 1) {
    const ClientToken = launchToken({ sort: "volume", place, name, params: input, generation });
    const command = new ec2.sdk.CreateVolumeCommand({ ...input, ClientToken });
    const { VolumeId: id = "" } = await told(ec2, `create the volume ${name}`, ec2.client.send(command, ec2.http));
    const isThere = await untilVolume(ec2, id, name, deadlineSeconds);
    if (isThere) return;
  }
}

/** The zone of a machine. In a rehearsal, the machine may not exist yet; any zone is then good enough. */
async function zoneOf(ec2: Ec2, instance: string | undefined): Promise<string | undefined> {
  if (instance === undefined) return undefined;
  const found = await rawInstance(ec2, instance);
  if (found === absent && ec2.dry === true) return (await zones(ec2))[0];
  return there(found, `instance ${instance}`).Placement?.AvailabilityZone;
}

/**
 * Waits for a new volume. Resolves to true when the volume is available or in use, and to false if it was deleted,
 * because a deleted volume never comes back.
 */
function untilVolume(ec2: Ec2, id: string, name: string, deadlineSeconds: number): Promise<boolean> {
  const command = new ec2.sdk.DescribeVolumesCommand({ VolumeIds: [id] });
  let missing = 0;
  return waitUntil(
    async () => {
      try {
        const { Volumes = [] } = await told(ec2, `read the volume ${name}`, ec2.client.send(command, ec2.http));
        const state = Volumes[0]?.State;
        if (state === "deleted" || state === "deleting") return { done: false };
        return state === "available" || state === "in-use" ? { done: true } : { meanwhile: state ?? "not visible yet" };
      } catch (error) {
        if (codeOf(error) !== "InvalidVolume.NotFound") throw error;
        missing += 1;
        return missing > 8 ? { done: false } : { meanwhile: "not visible yet" };
      }
    },
    { waitsFor: `the volume ${name} (${id}) to be created`, deadlineSeconds, ...waitOptions(ec2) },
  );
}

/** Attaches a volume to a machine, and waits until it is attached. */
export async function attachVolume(ec2: Ec2, act: Extract<Ec2Act, { act: "attachVolume" }>): Promise<void> {
  const { name, instance, device, deadlineSeconds } = act;
  const id = ownId(ec2, await volume(ec2, name), called(name, act.id));
  const { InstanceId } = await itsInstance(ec2, instance, act.instanceId);
  const command = new ec2.sdk.AttachVolumeCommand({ VolumeId: id, InstanceId, Device: device });
  try {
    await told(ec2, `attach the volume ${name} to ${instance}`, ec2.client.send(command, ec2.http));
  } catch (error) {
    // A killed run may have attached the volume, and EC2 might not show that yet.
    if (codeOf(error) !== "VolumeInUse") throw error;
  }
  await untilAttachment(ec2, name, "attached", deadlineSeconds);
}

/** Detaches a volume from the machine that the task saw, and waits until it is free. */
export async function detachVolume(ec2: Ec2, act: Extract<Ec2Act, { act: "detachVolume" }>): Promise<void> {
  const { name, instanceId: InstanceId, deadlineSeconds } = act;
  const found = await volume(ec2, name);
  if (found === absent || !found.attached) return;
  const VolumeId = ownId(ec2, found, called(name, act.id));
  const command = new ec2.sdk.DetachVolumeCommand({ VolumeId, InstanceId });
  try {
    await told(ec2, `detach the volume ${name}`, ec2.client.send(command, ec2.http));
  } catch (error) {
    // A killed run may have detached the volume, and EC2 might not show that yet.
    if (codeOf(error) !== "IncorrectState") throw error;
  }
  await untilAttachment(ec2, name, "free", deadlineSeconds);
}

async function untilAttachment(ec2: Ec2, name: string, state: "attached" | "free", deadlineSeconds: number) {
  await waitUntil(
    async () => {
      const found = there(await rawVolume(ec2, name), `volume ${name}`);
      const seen = found.Attachments?.[0]?.State ?? (found.State === "available" ? "free" : "in between");
      return seen === state ? { done: true } : { meanwhile: seen };
    },
    { waitsFor: `the volume ${name} to be ${state}`, deadlineSeconds, ...waitOptions(ec2) },
  );
}

/** Deletes a volume with all its data. A volume whose machine was just terminated stays attached for a moment. */
export async function deleteVolume(ec2: Ec2, act: Extract<Ec2Act, { act: "deleteVolume" }>): Promise<void> {
  const { name, deadlineSeconds } = act;
  const found = await volume(ec2, name);
  if (found === absent) return;
  const VolumeId = ownId(ec2, found, called(name, act.id));
  if (ec2.dry !== true && found.attached) await untilAttachment(ec2, name, "free", deadlineSeconds);
  const command = new ec2.sdk.DeleteVolumeCommand({ VolumeId });
  await told(ec2, `delete the volume ${name}`, ec2.client.send(command, ec2.http));
  await waitUntil(
    async () => ((await rawVolume(ec2, name)) === absent ? { done: true } : { meanwhile: "still there" }),
    {
      waitsFor: `the volume ${name} to disappear`,
      deadlineSeconds,
      ...waitOptions(ec2),
    },
  );
}

/** Changes the size and speed of a volume in place, and waits for completion. Does not resize file systems. */
export async function resizeDisk(ec2: Ec2, act: Extract<Ec2Act, { act: "resizeDisk" }>): Promise<void> {
  const { id, size, deadlineSeconds } = act;
  const command = new ec2.sdk.ModifyVolumeCommand({
    VolumeId: id,
    ...(size.sizeGb !== undefined && { Size: size.sizeGb }),
    ...(size.type !== undefined && { VolumeType: size.type as never }),
    ...(size.iops !== undefined && { Iops: size.iops }),
    ...(size.throughput !== undefined && { Throughput: size.throughput }),
  });
  await told(ec2, `change the disk ${id}`, ec2.client.send(command, ec2.http));
  const look = new ec2.sdk.DescribeVolumesCommand({ VolumeIds: [id] });
  await waitUntil(
    async () => {
      const { Volumes = [] } = await told(ec2, `look at the disk ${id}`, ec2.client.send(look, ec2.http));
      const now = sizeOf(Volumes[0] ?? {});
      const isRight = Object.entries(size).every(([key, value]) => now[key as keyof typeof now] === value);
      return isRight ? { done: true } : { meanwhile: "changing" };
    },
    { waitsFor: `the disk ${id} to change`, deadlineSeconds, ...waitOptions(ec2) },
  );
}

function waitOptions(ec2: Ec2) {
  return {
    signal: ec2.signal,
    say: ec2.say,
    hint: "Check the volume in the AWS console, or raise deadlineSeconds",
  };
}
