import { type Absent, absent, peek, type Step } from "../../src/authoring.ts";
import {
  type Ec2Act,
  ec2Call,
  type Ec2Disk,
  type Ec2InstanceState,
  type Ec2TerminationProtection,
} from "../../src/facts/catalogue.ts";
import { needsStop } from "./drift.ts";
import type { InstanceParams } from "./instance-params.ts";
import type { LaunchFacts } from "./launch.ts";
import { seenIn } from "./seen.ts";
import { disksOf, type WantedDisk } from "./wanted.ts";

type Gap = Step | false | undefined;

/** Returns the steps that bring a machine into the desired state. */
export function stepsFor(
  p: InstanceParams,
  {
    instance,
    protection,
  }: LaunchFacts & {
    readonly instance: Ec2InstanceState | Absent;
    readonly protection?: Ec2TerminationProtection | Absent;
  },
): Gap[] {
  const { name, region, deadlineSeconds } = p;
  const isThere = instance !== absent && instance.state !== "shutting-down";
  // A machine that is shutting down does not count as existing, so a new one is launched.
  const id = isThere || p.state === "absent" ? seenIn(instance) : undefined;
  const timed = (act: "start" | "stop" | "readHostKeys", label: string): Step =>
    ec2Call({ act, region, name, id, deadlineSeconds }, label);
  if (p.state === "absent") {
    const isProtected = protection !== undefined && protection !== absent && protection.on;
    const unprotect: Ec2Act = { act: "alterInstance", region, name, id, terminationProtection: false };
    const { own, kept } = fatesOf(instance);
    const devices = kept.map(({ device }) => device);
    const what = kept.map((disk) => `${disk.device} (${disk.id})`).join(", ");
    return [
      isProtected && ec2Call(unprotect, `turn off the termination protection of ${name}`),
      isThere &&
        kept.length > 0 &&
        ec2Call({ act: "keepDisks", region, name, id, devices }, `keep ${what} when ${name} is terminated`),
      ec2Call({ act: "terminate", region, name, id, disks: own, deadlineSeconds }, `terminate ${name}`),
    ];
  }
  const readKeys = p.hostKeys && p.state === "running" && timed("readHostKeys", `read the host keys of ${name}`);
  const stop = timed("stop", `stop ${name}`);
  if (!isThere) {
    return [launchStep(p), readKeys, p.state === "stopped" && stop];
  }
  const alters = needsStop(p, instance);
  const mustStop = instance.state !== "stopped" && (alters || p.state === "stopped");
  const mustStart = p.state === "running" && (alters || instance.state !== "running");
  return [
    mustStop && stop,
    alterStep(p, instance, protection),
    ...disksOf(p, instance.rootDevice).map((disk) => resizeStep(p, disk, instance.disks[disk.device])),
    differs(p.tags, instance.tags) && ec2Call({ act: "setTags", region, id: instance.id, tags: p.tags }, `tag ${name}`),
    mustStart && timed("start", `start ${name}`),
    !instance.verified && readKeys,
  ];
}

/**
 * The ids of the disks that furrow created with a machine, and the other disks that would be deleted with it too. If an
 * earlier task in the run launches the machine, its disks do not have ids yet.
 */
function fatesOf(instance: Ec2InstanceState | Absent) {
  const disks = instance === absent ? {} : peek(instance, "disks");
  const all = Object.entries(typeof disks === "object" ? disks : {}).flatMap(([device, disk]) => {
    const id = seenIn(disk);
    return id === undefined ? [] : [{ device, id, own: disk.own, goes: disk.deleteOnTermination }];
  });
  return {
    own: all.filter(({ own }) => own).map(({ id }) => id),
    kept: all.filter(({ own, goes }) => !own && goes),
  };
}

function launchStep(p: InstanceParams): Step {
  return ec2Call(launchAct(p), `launch ${p.name} (${p.type ?? ""})`);
}

/** Returns the action that launches a machine with these params. */
function launchAct(p: InstanceParams): Ec2Act {
  const { name, region, deadlineSeconds, type = "", image = { id: "" } } = p;
  const { keyPair, securityGroups, vpc, subnet, zone, spot, tags, userData } = p;
  const root = p.rootDisk === undefined ? [] : [{ ...p.rootDisk, deleteOnTermination: true }];
  const disks = p.disks.map(({ keep, ...disk }) => ({ ...disk, deleteOnTermination: !keep }));
  const launch = {
    type,
    image,
    keyPair,
    securityGroups,
    vpc,
    subnet,
    zone,
    spot,
    tags,
    userData: p.hostname === undefined ? userData : hostnameData(p.hostname),
    nested: p.nestedVirtualization,
    instanceProfile: p.iamInstanceProfile,
    publicAddress: p.publicAddress,
    terminationProtection: p.terminationProtection,
    metadataHopLimit: p.metadataHopLimit,
    disks: [...root, ...disks],
  };
  return { act: "launch", region, name, launch, deadlineSeconds };
}

/** User data with which cloud-init sets a host name. */
function hostnameData(hostname: string): string {
  const [short = ""] = hostname.split(".");
  const full = short === hostname ? "" : `fqdn: ${hostname}\n`;
  return `#cloud-config\npreserve_hostname: false\nhostname: ${short}\n${full}`;
}

function alterStep(
  p: InstanceParams,
  instance: Ec2InstanceState,
  protection: Ec2TerminationProtection | Absent | undefined,
): Gap {
  const groups = p.securityGroups.toSorted();
  const changes = {
    ...(p.type !== instance.type && { type: p.type }),
    ...(p.nestedVirtualization !== instance.nested && { nested: p.nestedVirtualization }),
    ...(groups.length > 0 && groups.join(" ") !== instance.securityGroups.join(" ") && { securityGroups: groups }),
    ...(p.iamInstanceProfile !== undefined &&
      p.iamInstanceProfile !== instance.instanceProfile && { instanceProfile: p.iamInstanceProfile }),
    ...(p.metadataHopLimit !== undefined &&
      p.metadataHopLimit !== instance.metadataHopLimit && { metadataHopLimit: p.metadataHopLimit }),
    ...(p.terminationProtection !== undefined &&
      protection !== undefined &&
      protection !== absent &&
      p.terminationProtection !== protection.on && { terminationProtection: p.terminationProtection }),
  };
  const { name, region, vpc } = p;
  const act: Ec2Act = { act: "alterInstance", region, name, id: instance.id, vpc, ...changes };
  const what = Object.keys(changes).map((key) => names[key] ?? key);
  return what.length > 0 && ec2Call(act, `change the ${what.join(" and the ")} of ${name}`);
}

const names: Readonly<Record<string, string>> = {
  nested: "nested virtualization",
  securityGroups: "security groups",
  instanceProfile: "instance profile",
  metadataHopLimit: "metadata hop limit",
  terminationProtection: "termination protection",
};

function resizeStep(p: InstanceParams, { device, ...wanted }: WantedDisk, disk: Ec2Disk | undefined): Gap {
  if (disk === undefined) return undefined;
  const asked = { sizeGb: wanted.sizeGb, type: wanted.type, iops: wanted.iops, throughput: wanted.throughput };
  const size = Object.fromEntries(
    Object.entries(asked).filter(([key, value]) => value !== undefined && value !== disk[key as keyof typeof asked]),
  );
  const said = Object.entries(size).map(([key, value]) => `${key} ${String(value)}`);
  const { region, deadlineSeconds } = p;
  return (
    said.length > 0 &&
    ec2Call({ act: "resizeDisk", region, id: disk.id, size, deadlineSeconds }, `disk ${device}: ${said.join(", ")}`)
  );
}

function differs(wanted: Readonly<Record<string, string>>, there: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).some(([key, value]) => there[key] !== value);
}
