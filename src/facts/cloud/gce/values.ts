import type { Absent } from "../../../core/facts/symbols.ts";

/**
 * The data that Compute Engine returns about its resources, normalized: short names instead of URLs, sorted sets, maps
 * by key. Field names and states are those documented at https://cloud.google.com/compute/docs/reference/rest/v1.
 */

/**
 * Identifies a resource: `zone` for disks, instances and their types, `region` for addresses and subnetworks.
 */
export interface GcePlace {
  /** The id of the project, not its number or name. */
  readonly project: string;
  readonly zone?: string;
  readonly region?: string;
  readonly name: string;
}

/** A resource that can be replaced by another one with the same name. */
interface Identified {
  /** The resource's number, which is never reused; missing in a prediction. */
  readonly id?: string;
}

/** A VPC network. */
export interface GceNetwork extends Identified {
  /** True if one subnet is created automatically in each region. */
  readonly autoSubnets: boolean;
  /** MTU in bytes. */
  readonly mtu: number;
  readonly description: string;
}

/** A subnetwork: a part of a VPC network, in one region. */
export interface GceSubnetwork extends Identified {
  readonly network: string;
  /** Its primary range: `10.20.0.0/20`. */
  readonly cidr: string;
  /** True if machines without an external address can reach Google's own APIs. */
  readonly privateGoogleAccess: boolean;
  readonly description: string;
}

/**
 * The ranges of all subnetworks of a network, as `REGION/NAME` and, for secondary ranges, `REGION/NAME/RANGE`. A range
 * that a task removes is absent.
 */
export type GceRanges = Readonly<Record<string, string | Absent>>;

/** A firewall rule that allows incoming traffic. */
export interface GceFirewall extends Identified {
  readonly network: string;
  readonly direction: string;
  /** `tcp:22`, `udp:8000-8100`, `icmp`: one entry for each protocol and range of ports, sorted. */
  readonly allow: readonly string[];
  /** Sorted. */
  readonly sourceRanges: readonly string[];
  /** The rule applies to instances with one of these tags, or to the whole network if the list is empty. Sorted. */
  readonly targetTags: readonly string[];
  readonly priority: number;
  readonly disabled: boolean;
  readonly description: string;
}

/** A zonal persistent disk. */
export interface GceDisk extends Identified {
  readonly sizeGb: number;
  /** `pd-balanced`, `hyperdisk-balanced`. */
  readonly type: string;
  /** I/O operations per second, for types that have this setting; 0 for other types. */
  readonly iops: number;
  /** MB per second, for types that have this setting; 0 for other types. */
  readonly throughput: number;
  /** CREATING, READY, FAILED, DELETING, … */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
  /** The names of the instances that the disk is attached to, sorted. */
  readonly users: readonly string[];
  /** The key in Cloud KMS that encrypts the disk; empty for a key that Google manages. */
  readonly kmsKey: string;
  readonly description: string;
}

/** A disk type that a zone offers. */
export interface GceDiskType {
  readonly name: string;
  /** The sizes that the type accepts: `10GB-65536GB`; empty if the API does not report them. */
  readonly validSizes: string;
}

/** A disk that is attached to an instance. */
export interface GceAttachedDisk {
  /** The disk's name. */
  readonly disk: string;
  readonly boot: boolean;
  /** True if the disk is deleted together with the instance. */
  readonly autoDelete: boolean;
}

/** A virtual machine. */
export interface GceInstance extends Identified {
  /** PROVISIONING, STAGING, RUNNING, STOPPING, TERMINATED (the API's term for stopped), SUSPENDED, REPAIRING, … */
  readonly status: string;
  readonly machineType: string;
  readonly nested: boolean;
  readonly spot: boolean;
  readonly network: string;
  readonly subnetwork: string;
  readonly internalAddress: string;
  /** The external IPv4 address; empty if the machine does not have one. */
  readonly address: string;
  /** True if the machine has an external address whenever it is running. */
  readonly external: boolean;
  /** The host name that was chosen for the machine; empty if it has Google's default name. */
  readonly hostname: string;
  /** The e-mail address of the machine's service account; empty if the machine does not have one. */
  readonly serviceAccount: string;
  /** The scopes of the machine's service account, sorted. */
  readonly scopes: readonly string[];
  readonly deletionProtection: boolean;
  /** Network tags, sorted. */
  readonly tags: readonly string[];
  readonly tagsFingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly metadataFingerprint: string;
  /** Disks by device name; the guest sees each disk as `/dev/disk/by-id/google-NAME`. */
  readonly disks: Readonly<Record<string, GceAttachedDisk>>;
  /** Public host keys, `ssh-ed25519 AAAA…`, sorted; empty until the guest agent has reported them. */
  readonly hostKeys: readonly string[];
  /** True if the host keys are known, so a first connection can be verified. */
  readonly verified: boolean;
  readonly description: string;
}

/** A reserved external address in a region. */
export interface GceAddress extends Identified {
  readonly address: string;
  /** RESERVING, RESERVED or IN_USE. */
  readonly status: string;
  /** The names of the resources that use the address, sorted. */
  readonly users: readonly string[];
  readonly description: string;
}

/** The properties of a machine type in a zone. */
export interface GceMachineType {
  readonly name: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** X86_64 or ARM64; empty if the API does not report it. */
  readonly architecture: string;
}

/** An image; for a family, the newest image in it that is not deprecated. */
export interface GceImage {
  /** `projects/suse-cloud/global/images/sles-15-sp6-v20260101-x86-64`. */
  readonly link: string;
  readonly sizeGb: number;
}

/** The type of the answer for each value of `get`. */
export interface GceValues {
  readonly network: GceNetwork | Absent;
  readonly subnetwork: GceSubnetwork | Absent;
  /** The ranges of the network that is given in `name`. */
  readonly ranges: GceRanges;
  readonly firewall: GceFirewall | Absent;
  readonly disk: GceDisk | Absent;
  readonly diskType: GceDiskType | Absent;
  readonly instance: GceInstance | Absent;
  readonly address: GceAddress | Absent;
  readonly machineType: GceMachineType | Absent;
  readonly image: GceImage | Absent;
  /** The machine types in a zone whose number of CPUs is given in `name`. */
  readonly machineTypes: readonly GceMachineType[];
}
