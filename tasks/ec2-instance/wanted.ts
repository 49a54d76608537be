import { absent, knownAfterApply, peek, type Wanted } from "../../src/authoring.ts";
import type { Ec2InstanceState } from "../../src/facts/catalogue.ts";
import type { InstanceParams } from "./instance-params.ts";
import type { LaunchFacts } from "./launch.ts";

/** A disk that a machine must have. */
export interface WantedDisk {
  readonly device: string;
  readonly sizeGb: number;
  readonly type: string;
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}

/** Returns the wanted disks; the first disk uses the image's device name. */
export function disksOf(p: InstanceParams, rootDevice: string): WantedDisk[] {
  return [...(p.rootDisk === undefined ? [] : [{ device: rootDevice, ...p.rootDisk }]), ...p.disks];
}

/** Returns the desired state of the machine; values that EC2 assigns are known only after a run. */
export function wantedInstance(
  p: InstanceParams,
  now: LaunchFacts & { readonly instance?: unknown },
): Wanted<Ec2InstanceState> {
  const there = now.instance as Ec2InstanceState | typeof absent | undefined;
  const isThere = there !== absent && there !== undefined && there.state !== "shutting-down";
  const root = isThere ? there.rootDevice : rootOf(now);
  const disks = disksOf(p, root).map(({ device, sizeGb, type, iops, throughput }) => [
    device,
    { sizeGb, type, ...(iops !== undefined && { iops }), ...(throughput !== undefined && { throughput }) },
  ]);
  const keepsKeys = p.hostKeys && p.state === "running";
  return {
    state: p.state === "stopped" ? "stopped" : "running",
    type: p.type ?? "",
    nested: p.nestedVirtualization,
    spot: p.spot,
    ...(p.keyPair !== undefined && { keyPair: p.keyPair }),
    ...(p.securityGroups.length > 0 && { securityGroups: p.securityGroups.toSorted() }),
    ...(disks.length > 0 && { disks: Object.fromEntries(disks) as Wanted<Ec2InstanceState["disks"]> }),
    ...(p.iamInstanceProfile !== undefined && { instanceProfile: p.iamInstanceProfile }),
    ...(p.metadataHopLimit !== undefined && { metadataHopLimit: p.metadataHopLimit }),
    tags: p.tags,
    ours: true,
    ...(keepsKeys && { verified: true }),
    ...((!isThere || (keepsKeys && !there.verified)) && { hostKeys: knownAfterApply }),
    ...(!isThere && { id: knownAfterApply, image: imageOf(now), privateAddress: knownAfterApply }),
    ...(!isThere && { rootDevice: root, zone: p.zone ?? zoneOf(now), subnet: subnetOf(now) }),
    ...(!isThere && { address: p.publicAddress === false ? "" : knownAfterApply }),
    // A machine gets a new public address each time it starts.
    ...(isThere && there.state !== "running" && { address: knownAfterApply }),
  };
}

function zoneOf({ subnet }: LaunchFacts) {
  return subnet === undefined || subnet === absent ? knownAfterApply : peek(subnet, "zone");
}

function subnetOf({ subnet }: LaunchFacts) {
  return subnet === undefined || subnet === absent ? knownAfterApply : peek(subnet, "id");
}

function rootOf({ image }: LaunchFacts): string {
  return image === undefined || image === absent ? "" : image.rootDevice;
}

function imageOf(now: LaunchFacts) {
  const { image } = now;
  return image === undefined || image === absent ? knownAfterApply : peek(image, "id");
}
