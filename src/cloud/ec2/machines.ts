import type { Instance } from "@aws-sdk/client-ec2";
import { ec2In, told } from "./client.ts";
import { listIn } from "./pages.ts";
import { filter, hostKeyTag, marksOf, tagOf } from "./tags.ts";

/** A disk that is attached to a machine. */
export interface Ec2MachineDisk {
  /** `/dev/sdf`, EC2's name for the device. */
  readonly device: string;
  /** `vol-…`. */
  readonly id: string;
  /** The stable path of the disk on the machine itself. */
  readonly path: string;
}

/** An EC2 machine in an inventory. */
export interface Ec2Machine {
  readonly id: string;
  /** The value of the Name tag; empty if the machine has none. */
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  readonly type: string;
  /** `running`, `stopped`, …; never `terminated`. */
  readonly state: string;
  /** The public address; empty if the machine has none. */
  readonly address: string;
  readonly privateAddress: string;
  /** `ami-…`. */
  readonly image: string;
  /** All disks except the root disk, sorted by device. */
  readonly disks: readonly Ec2MachineDisk[];
  /** The user's own tags, without the Name tag and without tags that furrow or AWS set. */
  readonly tags: Readonly<Record<string, string>>;
  /** SSH host keys that furrow read from the console; empty if furrow has not read the console. */
  readonly hostKeys: readonly string[];
}

/** The number of machines per page: EC2's maximum. */
const pageSize = 1000;

/**
 * Lists all machines in a region that match the filters and are not terminated. Keeps only the fields of {@link
 * Ec2Machine} from each page, so thousands of machines take little memory. Throws FurrowError E_DRIVER.
 */
export async function listMachines(
  region: string | undefined,
  filters: Readonly<Record<string, string | readonly string[]>>,
  signal: AbortSignal,
): Promise<readonly Ec2Machine[]> {
  const ec2 = await ec2In(region, signal);
  const input = { Filters: Object.entries(filters).map(([name, values]) => filter(name, ...[values].flat())) };
  const doing = "list the instances";
  const machines: Ec2Machine[] = [];
  const all = async (): Promise<void> => {
    const place = region ?? (await ec2.client.config.region());
    const pages = ec2.sdk.paginateDescribeInstances({ client: ec2.client, pageSize }, input, ec2.http);
    for await (const { Reservations } of pages) {
      const found = listIn(Reservations, doing).flatMap(({ Instances }) => listIn(Instances, doing));
      for (const one of found) if (one.State?.Name !== "terminated") machines.push(machineOf(one, place));
    }
  };
  await told(ec2, doing, all());
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
 * Lists a machine's disks except the root disk. Machines on EC2's Nitro system show volumes as NVMe disks. The disk's
 * serial number is the volume's id without its dash
 * (https://docs.aws.amazon.com/ebs/latest/userguide/nvme-ebs-volumes.html); udev derives the path from the serial
 * number.
 */
function disksOf({ BlockDeviceMappings = [], RootDeviceName }: Instance): Ec2MachineDisk[] {
  return BlockDeviceMappings.flatMap(({ DeviceName: device = "", Ebs }) => {
    const { VolumeId: id = "" } = Ebs ?? {};
    const path = `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace("-", "")}`;
    return device === RootDeviceName ? [] : [{ device, id, path }];
  }).toSorted((a, b) => (a.device < b.device ? -1 : 1));
}
