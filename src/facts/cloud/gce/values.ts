import type { Absent } from "../../../core/symbols.ts";

/**
 * What Compute Engine says of its things, in one form: short names in place of URLs, sets sorted, maps by key. Field
 * names and states are those of https://cloud.google.com/compute/docs/reference/rest/v1.
 */

/** Which thing in which place: `zone` for disks, instances and machine types, `region` for addresses. */
export interface GcePlace {
  /** Id of the project, not its number or title. */
  readonly project: string;
  readonly zone?: string;
  readonly region?: string;
  readonly name: string;
}

/** A VPC network. */
export interface GceNetwork {
  /** Subnets come by themselves, one for each region. */
  readonly autoSubnets: boolean;
  /** Bytes of the largest packet. */
  readonly mtu: number;
  readonly description: string;
}

/** A firewall rule that lets traffic in. */
export interface GceFirewall {
  readonly network: string;
  readonly direction: string;
  /** `tcp:22`, `udp:8000-8100`, `icmp`: one for each protocol and range of ports, sorted. */
  readonly allow: readonly string[];
  /** Sorted. */
  readonly sourceRanges: readonly string[];
  /** Instances with one of these tags; all of the network where empty. Sorted. */
  readonly targetTags: readonly string[];
  readonly priority: number;
  readonly disabled: boolean;
  readonly description: string;
}

/** A persistent disk of a zone. */
export interface GceDisk {
  readonly sizeGb: number;
  /** `pd-balanced`, `hyperdisk-balanced`. */
  readonly type: string;
  /** I/O operations a second, for types that are sold so; 0 for others. */
  readonly iops: number;
  /** MB a second, likewise. */
  readonly throughput: number;
  /** CREATING, READY, FAILED, DELETING, … */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
  /** Names of the instances it is attached to, sorted. */
  readonly users: readonly string[];
  readonly description: string;
}

/** A disk as an instance has it. */
export interface GceAttachedDisk {
  /** The disk's name. */
  readonly disk: string;
  readonly boot: boolean;
  /** Deleted with the instance. */
  readonly autoDelete: boolean;
}

/** A virtual machine. */
export interface GceInstance {
  /** PROVISIONING, STAGING, RUNNING, STOPPING, TERMINATED (which is stopped), SUSPENDED, REPAIRING, … */
  readonly status: string;
  readonly machineType: string;
  readonly nested: boolean;
  readonly spot: boolean;
  readonly network: string;
  readonly internalAddress: string;
  /** The external IPv4 address; empty for none. */
  readonly address: string;
  /** Network tags, sorted. */
  readonly tags: readonly string[];
  readonly tagsFingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly metadataFingerprint: string;
  /** By device name: a guest sees it as `/dev/disk/by-id/google-NAME`. */
  readonly disks: Readonly<Record<string, GceAttachedDisk>>;
  /** Public host keys, `ssh-ed25519 AAAA…`, sorted; none until its guest agent has told them. */
  readonly hostKeys: readonly string[];
  /** Whether there are some: a first connection can be verified. */
  readonly verified: boolean;
  readonly description: string;
}

/** A reserved external address of a region. */
export interface GceAddress {
  readonly address: string;
  /** RESERVING, RESERVED or IN_USE. */
  readonly status: string;
  /** Names of what uses it, sorted. */
  readonly users: readonly string[];
  readonly description: string;
}

/** What a machine type of a zone has. */
export interface GceMachineType {
  readonly name: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** X86_64 or ARM64; empty where the API does not say. */
  readonly architecture: string;
}

/** An image, or the newest of a family that is not deprecated. */
export interface GceImage {
  /** `projects/suse-cloud/global/images/sles-15-sp6-v20260101-x86-64`. */
  readonly link: string;
  readonly sizeGb: number;
}

/** What may be asked for by `get`, and what the answer is. */
export interface GceValues {
  readonly network: GceNetwork | Absent;
  readonly firewall: GceFirewall | Absent;
  readonly disk: GceDisk | Absent;
  readonly instance: GceInstance | Absent;
  readonly address: GceAddress | Absent;
  readonly machineType: GceMachineType | Absent;
  readonly image: GceImage | Absent;
  /** Machine types of a zone with as many processors as `name` says. */
  readonly machineTypes: readonly GceMachineType[];
}
