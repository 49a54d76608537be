import type { Absent } from "../../../core/facts/symbols.ts";

/**
 * What Compute Engine says about its resources, normalised: short names in place of URLs, sets sorted, maps by key.
 * Field names and states are those of https://cloud.google.com/compute/docs/reference/rest/v1.
 */

/** Identifies a resource: `zone` for disks, instances and machine types, `region` for addresses. */
export interface GcePlace {
  /** Id of the project, not its number or title. */
  readonly project: string;
  readonly zone?: string;
  readonly region?: string;
  readonly name: string;
}

/** A VPC network. */
export interface GceNetwork {
  /** Subnets are created automatically, one for each region. */
  readonly autoSubnets: boolean;
  /** MTU in bytes. */
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
  /** Applies to instances with one of these tags, or to the whole network if empty. Sorted. */
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
  /** I/O operations per second, for types that have this setting; 0 for others. */
  readonly iops: number;
  /** MB per second, likewise. */
  readonly throughput: number;
  /** CREATING, READY, FAILED, DELETING, … */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
  /** Names of the instances it is attached to, sorted. */
  readonly users: readonly string[];
  readonly description: string;
}

/** A disk that is attached to an instance. */
export interface GceAttachedDisk {
  /** The disk's name. */
  readonly disk: string;
  readonly boot: boolean;
  /** Deleted with the instance. */
  readonly autoDelete: boolean;
}

/** A virtual machine. */
export interface GceInstance {
  /** PROVISIONING, STAGING, RUNNING, STOPPING, TERMINATED (the API's word for stopped), SUSPENDED, REPAIRING, … */
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
  /** Public host keys, `ssh-ed25519 AAAA…`, sorted; empty until the guest agent has reported them. */
  readonly hostKeys: readonly string[];
  /** True if there are host keys, so that a first connection can be verified. */
  readonly verified: boolean;
  readonly description: string;
}

/** A reserved external address of a region. */
export interface GceAddress {
  readonly address: string;
  /** RESERVING, RESERVED or IN_USE. */
  readonly status: string;
  /** Names of the resources that use it, sorted. */
  readonly users: readonly string[];
  readonly description: string;
}

/** The resources of a machine type in a zone. */
export interface GceMachineType {
  readonly name: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** X86_64 or ARM64; empty if the API does not say. */
  readonly architecture: string;
}

/** An image, or the newest image of a family that is not deprecated. */
export interface GceImage {
  /** `projects/suse-cloud/global/images/sles-15-sp6-v20260101-x86-64`. */
  readonly link: string;
  readonly sizeGb: number;
}

/** The answer for each value of `get`. */
export interface GceValues {
  readonly network: GceNetwork | Absent;
  readonly firewall: GceFirewall | Absent;
  readonly disk: GceDisk | Absent;
  readonly instance: GceInstance | Absent;
  readonly address: GceAddress | Absent;
  readonly machineType: GceMachineType | Absent;
  readonly image: GceImage | Absent;
  /** Machine types of a zone with as many CPUs as `name` says. */
  readonly machineTypes: readonly GceMachineType[];
}
