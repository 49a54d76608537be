import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { Ec2Act } from "../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";
import { consoleHostKeys } from "../host-keys.ts";
import { ownInstance, rawInstance, untilState } from "./instance.ts";
import { untilShown } from "./network/make.ts";
import { hostKeyTag, tagList } from "./tags.ts";

/** The name of a machine, its id if the task saw the machine, and the time limit for an action on it. */
interface Timed {
  readonly name: string;
  readonly id?: string | undefined;
  readonly deadlineSeconds: number;
}

/** Starts a stopped machine, and waits until it is running. */
export async function start(ec2: Ec2, { name, id: seen, deadlineSeconds }: Timed): Promise<void> {
  const { InstanceId: id = "", State } = await ownInstance(ec2, name, seen);
  if (ec2.dry !== true && State?.Name === "stopping") await untilState(ec2, id, name, "stopped", deadlineSeconds);
  const command = new ec2.sdk.StartInstancesCommand({ InstanceIds: [id] });
  // A rehearsal always tests the call: by the time of the real call, an earlier step may have stopped the machine.
  if (ec2.dry === true || (State?.Name !== "pending" && State?.Name !== "running")) {
    await told(ec2, `start ${name}`, ec2.client.send(command, ec2.http));
  }
  await untilState(ec2, id, name, "running", deadlineSeconds);
}

/** Stops a machine, and waits until it is stopped. */
export async function stop(ec2: Ec2, { name, id: seen, deadlineSeconds }: Timed): Promise<void> {
  const { InstanceId: id = "", State } = await ownInstance(ec2, name, seen);
  if (ec2.dry !== true && State?.Name === "pending") await untilState(ec2, id, name, "running", deadlineSeconds);
  const command = new ec2.sdk.StopInstancesCommand({ InstanceIds: [id] });
  if (ec2.dry === true || (State?.Name !== "stopping" && State?.Name !== "stopped")) {
    await told(ec2, `stop ${name}`, ec2.client.send(command, ec2.http));
  }
  await untilState(ec2, id, name, "stopped", deadlineSeconds);
}

/**
 * Terminates a machine, and waits until it is terminated, because its resources are not released until then. Throws
 * FurrowError E_DRIVER if a disk that the task did not see would be deleted with the machine.
 */
export async function terminate(ec2: Ec2, act: Extract<Ec2Act, { act: "terminate" }>): Promise<void> {
  const { name, id: seen, disks, deadlineSeconds } = act;
  if ((await rawInstance(ec2, name)) === absent) return;
  const { InstanceId: id = "", State, BlockDeviceMappings = [] } = await ownInstance(ec2, name, seen);
  const lost = BlockDeviceMappings.filter(({ Ebs }) => Ebs?.DeleteOnTermination === true)
    .map(({ Ebs }) => Ebs?.VolumeId ?? "")
    .filter((volume) => !disks.includes(volume));
  // A rehearsal does not mark disks as kept, so they still appear here.
  if (lost.length > 0 && ec2.dry !== true && State?.Name !== "shutting-down") {
    throw new FurrowError("E_DRIVER", {
      what: `${name} has disks that this task did not see, which would be deleted with it`,
      current: lost.join(", "),
      hint: "Rerun: something else changed the disks during this run",
    });
  }
  const command = new ec2.sdk.TerminateInstancesCommand({ InstanceIds: [id] });
  await told(ec2, `terminate ${name}`, ec2.client.send(command, ec2.http));
  await untilState(ec2, id, name, "terminated", deadlineSeconds);
}

/** Changes the disks of a machine so that they are not deleted with it. Returns once EC2 shows the change. */
export async function keepDisks(ec2: Ec2, act: Extract<Ec2Act, { act: "keepDisks" }>): Promise<void> {
  const { name, id: seen, devices } = act;
  const { InstanceId } = await ownInstance(ec2, name, seen);
  const BlockDeviceMappings = devices.map((DeviceName) => ({ DeviceName, Ebs: { DeleteOnTermination: false } }));
  const command = new ec2.sdk.ModifyInstanceAttributeCommand({ InstanceId, BlockDeviceMappings });
  await told(ec2, `keep ${devices.join(", ")} of ${name}`, ec2.client.send(command, ec2.http));
  await untilShown(ec2, `the disks ${devices.join(", ")} of ${name} to be kept`, async () => {
    const { BlockDeviceMappings: now = [] } = await ownInstance(ec2, name, InstanceId);
    return !now.some(({ DeviceName = "", Ebs }) => devices.includes(DeviceName) && Ebs?.DeleteOnTermination === true);
  });
}

/**
 * Returns the best host key on a console; undefined if the console shows none yet. Nitro machines may show nothing
 * without Latest, but other machines refuse Latest
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetConsoleOutput.html).
 */
async function keyOnConsole(ec2: Ec2, name: string, id: string, Latest: boolean): Promise<string | undefined> {
  const command = new ec2.sdk.GetConsoleOutputCommand({ InstanceId: id, ...(Latest && { Latest }) });
  try {
    const { Output = "" } = await told(ec2, `read the console of ${name}`, ec2.client.send(command, ec2.http));
    // A tag value has at most 256 characters, so an RSA key does not fit.
    return consoleHostKeys(Buffer.from(Output, "base64").toString("utf8")).find((key) => key.length <= 256);
  } catch (error) {
    if (Latest && codeOf(error) === "UnsupportedOperation") return undefined;
    throw error;
  }
}

/** Sets tags on any resource, given by its id. */
export async function setTags(ec2: Ec2, id: string, tags: Readonly<Record<string, string>>): Promise<void> {
  const command = new ec2.sdk.CreateTagsCommand({ Resources: [id], Tags: tagList(tags) });
  await told(ec2, `tag ${id}`, ec2.client.send(command, ec2.http));
}

/**
 * Waits until a machine's console shows its SSH host keys, and saves the best one as a tag. The console drops its old
 * output, but the tag is in every list of machines.
 */
export async function readHostKeys(ec2: Ec2, { name, id: seen, deadlineSeconds }: Timed): Promise<void> {
  const { InstanceId: id = "" } = await ownInstance(ec2, name, seen);
  const look = async (): Promise<string | undefined> =>
    // The oldest console output is preferred: when it was written, nobody could yet have logged in and printed false
    // keys.
    (await keyOnConsole(ec2, name, id, false)) ?? (await keyOnConsole(ec2, name, id, true));
  if (ec2.dry === true) {
    await keyOnConsole(ec2, name, id, false);
    return setTags(ec2, id, { [hostKeyTag]: "" });
  }
  const key = await waitUntil(
    async () => {
      const best = await look();
      return best === undefined ? { meanwhile: "none yet" } : { done: best };
    },
    {
      waitsFor: `the console of ${name} (${id}) to show its SSH host keys`,
      deadlineSeconds,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Check the console: an image without cloud-init prints no host keys; then set hostKeys: false and verify the key yourself",
    },
  );
  await setTags(ec2, id, { [hostKeyTag]: key });
  await waitUntil(
    async () => {
      const found = await rawInstance(ec2, name);
      if (found === absent)
        throw new FurrowError("E_DRIVER", { what: `instance ${name} has disappeared`, hint: "Rerun" });
      return found.Tags?.some(({ Key }) => Key === hostKeyTag) === true
        ? { done: true }
        : { meanwhile: "not visible yet" };
    },
    {
      waitsFor: `the host key of ${name} to appear`,
      deadlineSeconds: 60,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Rerun: EC2 may take a while to show changes",
    },
  );
}
