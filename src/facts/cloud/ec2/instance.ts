import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2DiskSize, type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** The current state of a disk. */
export interface Ec2Disk extends Required<Ec2DiskSize> {
  /** `vol-…`. */
  readonly id: string;
  readonly iops: number;
  readonly throughput: number;
  readonly deleteOnTermination: boolean;
  /** True for the root disk, and for disks that furrow created together with the machine. */
  readonly own: boolean;
}

/** A machine; a terminated machine is treated as absent. */
export interface Ec2InstanceState extends Ec2Marks {
  readonly id: string;
  readonly state: "pending" | "running" | "stopping" | "stopped" | "shutting-down";
  readonly type: string;
  /** `ami-…`. */
  readonly image: string;
  /** The name of the key pair; empty if the machine has none. */
  readonly keyPair: string;
  /** The names of the machine's security groups, sorted. */
  readonly securityGroups: readonly string[];
  readonly nested: boolean;
  readonly spot: boolean;
  readonly zone: string;
  readonly subnet: string;
  /** The public address; empty if the machine has none. */
  readonly address: string;
  readonly privateAddress: string;
  /** The name of the machine's instance profile; empty if it has none. */
  readonly instanceProfile: string;
  /** The number of network hops that responses from the metadata service may travel; 0 if unknown. */
  readonly metadataHopLimit: number;
  readonly rootDevice: string;
  /** The disks by device: `/dev/sdf`. */
  readonly disks: Readonly<Record<string, Ec2Disk>>;
  /** SSH host keys, `ssh-ed25519 AAAA…`, as printed on the machine's console; empty until furrow has read them. */
  readonly hostKeys: readonly string[];
  /** True if the host keys are known. */
  readonly verified: boolean;
}

/** Asks EC2 for the machine with this name. */
export function ec2InstanceState(
  question: Ec2Place & { readonly name: string },
): ControllerFact<Ec2InstanceState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "instance", region: question.region, name: question.name }) };
}

/** A machine that uses a volume or an address. */
export interface Ec2Holder {
  /** The machine's Name tag; empty if it has none. */
  readonly name: string;
  /** False for machines that someone else launched. */
  readonly ours: boolean;
}

/** Asks EC2 for the name of the machine with this id; absent if there is no such machine. */
export function ec2Holder({ region, id }: Ec2Place & { readonly id: string }): ControllerFact<Ec2Holder | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "holder", region, id }) };
}

/** Whether a machine is protected against termination. */
export interface Ec2TerminationProtection {
  readonly on: boolean;
}

/** Asks EC2 whether the machine with this name is protected against termination; absent if there is no machine. */
export function ec2TerminationProtection({
  region,
  name,
}: Ec2Place & { readonly name: string }): ControllerFact<Ec2TerminationProtection | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "terminationProtection", region, name }) };
}
