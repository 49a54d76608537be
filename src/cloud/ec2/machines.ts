import type { Instance } from "@aws-sdk/client-ec2";
import { ec2In, told } from "./client.ts";
import { filter, hostKeyTag, marksOf, tagOf } from "./tags.ts";

/** A disk of a machine. */
export interface Ec2MachineDisk {
  /** `/dev/sdf`, as EC2 calls it. */
  readonly device: string;
  /** `vol-…`. */
  readonly id: string;
  /** The stable path of the disk on the machine itself. */
  readonly path: string;
}

/** An EC2 machine in an inventory. */
export interface Ec2Machine {
  readonly id: string;
  /** The tag Name; empty if it has none. */
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  readonly type: string;
  /** `running`, `stopped`, …; never `terminated`. */
  readonly state: string;
  /** Public address; empty if it has none. */
  readonly address: string;
  readonly privateAddress: string;
  /** `ami-…`. */
  readonly image: string;
  /** All disks except the root disk, by device. */
  readonly disks: readonly Ec2MachineDisk[];
  /** Tags, without Name and without those of furrow and AWS. */
  readonly tags: Readonly<Record<string, string>>;
  /** SSH host keys that furrow read from the console; empty if furrow has not read it. */
  readonly hostKeys: readonly string[];
}

/** How many machines one answer contains: EC2's maximum. */
const pageSize = 1000;

/**
 * All machines of a region that pass the filters and are not terminated. Only these fields are kept of each page, so
 * that thousands of machines take little memory. Throws FurrowError E_DRIVER.
 */
export async function listMachines(
  region: string | undefined,
  filters: Readonly<Record<string, string | readonly string[]>>,
  signal: AbortSignal,
): Promise<readonly Ec2Machine[]> {
  const ec2 = await ec2In(region, signal);
  const input = { Filters: Object.entries(filters).map(([name, values]) => filter(name, ...[values].flat())) };
  const machines: Ec2Machine[] = [];
  const all = async (): Promise<void> => {
    const place = region ?? (await ec2.client.config.region());
    const pages = ec2.sdk.paginateDescribeInstances({ client: ec2.client, pageSize }, input, ec2.http);
    for await (const { Reservations = [] } of pages) {
      const found = Reservations.flatMap(({ Instances = [] }) => Instances);
      for (const one of found) if (one.State?.Name !== "terminated") machines.push(machineOf(one, place));
    }
  };
  await told(ec2, "list the instances", all());
  return machines;
}

function machineOf(found: Instance, region: string): Ec2Machine {
  const key = tagOf(found.Tags, hostKeyTag);
  return {
    id: found.InstanceId ?? "",
    name: tagOf(found.Tags, "Name"),
    region,
    zone: found.Placement?.AvailabilityZone ?? "",
    type: found.InstanceType ?? "",
    state: found.State?.Name ?? "pending",
    address: found.PublicIpAddress ?? "",
    privateAddress: found.PrivateIpAddress ?? "",
    image: found.ImageId ?? "",
    disks: disksOf(found),
    tags: marksOf(found.Tags).tags,
    hostKeys: key === "" ? [] : [key],
  };
}

/**
 * Machines of EC2's Nitro system show volumes as NVMe disks. Their serial number is the volume's id without its dash
 * (https://docs.aws.amazon.com/ebs/latest/userguide/nvme-ebs-volumes.html); udev derives the path from it.
 */
function disksOf({ BlockDeviceMappings = [], RootDeviceName }: Instance): Ec2MachineDisk[] {
  return BlockDeviceMappings.flatMap(({ DeviceName: device = "", Ebs }) => {
    const { VolumeId: id = "" } = Ebs ?? {};
    const path = `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace("-", "")}`;
    return device === RootDeviceName ? [] : [{ device, id, path }];
  }).toSorted((a, b) => (a.device < b.device ? -1 : 1));
}
