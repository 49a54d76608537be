import { absent, refuse, type Refusal } from "../../src/authoring.ts";
import type { Ec2Disk, Ec2InstanceState } from "../../src/facts/catalogue.ts";
import type { InstanceParams } from "./instance-params.ts";
import { type LaunchFacts, obstacleToLaunch } from "./launch.ts";
import { disksOf } from "./wanted.ts";

/**
 * Refuses changes that EC2 cannot make, or cannot make while the machine is running; undefined if all changes can be
 * made.
 */
export function driftOf(p: InstanceParams, instance: Ec2InstanceState, now: LaunchFacts): Refusal | undefined {
  const lasting = lastingDrift(p, instance, now);
  if (lasting.length > 0) {
    return refuse({
      code: "needs-new-machine",
      message: `${p.name} (${instance.id}) cannot be changed as requested: ${lasting.join("; ")}`,
      hint: `Set the params to the current values, or replace the machine (run once with state: "absent", then without it), which loses ${lostWith(instance)}`,
    });
  }
  if (!needsStop(p, instance)) return undefined;
  if (p.type !== instance.type) {
    const obstacle = obstacleToLaunch(p, { ...(now.machineType !== undefined && { machineType: now.machineType }) });
    if (obstacle !== undefined) return obstacle;
  }
  return instance.state === "stopped" || p.mayStop
    ? undefined
    : refuse({
        code: "needs-stop",
        message: `${p.name} (${instance.id}) must be stopped before its type or nested virtualization can change`,
        hint: "Set mayStop: true if the machine may be stopped and restarted; its public address changes unless it is an elastic IP",
      });
}

/** True if a change can only be made while the machine is stopped. */
export function needsStop(p: InstanceParams, instance: Ec2InstanceState): boolean {
  return p.type !== instance.type || p.nestedVirtualization !== instance.nested;
}

function lastingDrift(p: InstanceParams, instance: Ec2InstanceState, { subnet }: LaunchFacts): string[] {
  const differs = (what: string, is: string, wanted: string | undefined): string[] =>
    wanted === undefined || wanted === is ? [] : [`its ${what} is ${is === "" ? "none" : is}, not ${wanted}`];
  const disks = disksOf(p, instance.rootDevice).flatMap(({ device, sizeGb }) => {
    const disk = instance.disks[device];
    if (disk === undefined) return [`it was launched without the disk ${device}`];
    return sizeGb < disk.sizeGb ? [`its disk ${device} has ${disk.sizeGb} GiB, and disks never shrink`] : [];
  });
  return [
    ...(p.image !== undefined && "id" in p.image ? differs("image", instance.image, p.image.id) : []),
    ...differs("key pair", instance.keyPair, p.keyPair),
    ...(subnet === undefined || (subnet !== absent && subnet.id === instance.subnet)
      ? []
      : differs("subnet", instance.subnet, p.subnet)),
    ...differs("zone", instance.zone, p.zone),
    ...(p.spot === instance.spot ? [] : [instance.spot ? "it is a spot machine" : "it is not a spot machine"]),
    ...disks,
  ];
}

/** Returns a human-readable list of the disks that are deleted with a machine. */
function lostWith({ disks }: Ec2InstanceState): string {
  const going = Object.entries(disks).filter(([, { deleteOnTermination }]) => deleteOnTermination);
  const say = ([device, { id, sizeGb }]: [string, Ec2Disk]): string => `disk ${device} (${id}, ${sizeGb} GiB)`;
  return going.length === 0 ? "no disk" : going.map(say).join(", ");
}
