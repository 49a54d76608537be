import type { Absent } from "../../../core/facts/symbols.ts";
import type { Secret } from "../../../core/secrets/secret.ts";

/**
 * The data that DigitalOcean's API returns about its resources, normalized: sets as maps, ports of all protocols in one
 * form. The states are those documented at https://docs.digitalocean.com/reference/api/.
 */

/** Identifies a resource by its name. */
export interface DigitalOceanPlace {
  readonly name: string;
  /**
   * The region of a volume, whose name is unique only within the region; if undefined, the owner's volumes in all
   * regions are searched.
   */
  readonly region?: string | undefined;
  /** The owner of the volume if all regions are searched; volumes of other owners are then ignored. */
  readonly owner?: string | undefined;
  /** The API token, a secret; if undefined, DIGITALOCEAN_ACCESS_TOKEN. */
  readonly token?: string | Secret | undefined;
}

/** A set of names: the value of each contained name is true. */
export type NameSet = Readonly<Record<string, true>>;

/** A virtual machine. */
export interface DigitalOceanDroplet {
  readonly id: string;
  /** new, active, off or archive. */
  readonly status: string;
  readonly region: string;
  readonly size: string;
  /** The slug of the image; its number if it has no slug. */
  readonly image: string;
  /** The id of the droplet's VPC network. */
  readonly vpc: string;
  /** The public IPv4 address; empty until the droplet has one. */
  readonly address: string;
  /** The address in the VPC network; empty until the droplet has one. */
  readonly privateAddress: string;
  /** The names of the attached volumes. */
  readonly volumes: NameSet;
  readonly tags: NameSet;
}

/** A block storage volume. */
export interface DigitalOceanVolume {
  readonly id: string;
  readonly sizeGb: number;
  /** The type of the file system that DigitalOcean created on the volume; empty if it did not create one. */
  readonly filesystem: string;
  /** The names of the droplets that the volume is attached to, sorted. */
  readonly droplets: readonly string[];
  readonly tags: NameSet;
}

/** A public key that can be installed on new droplets. */
export interface DigitalOceanSshKey {
  readonly id: string;
  /** `ssh-ed25519 AAAA…`, without a comment. */
  readonly publicKey: string;
}

/** A cloud firewall. Traffic that no rule allows is blocked. */
export interface DigitalOceanFirewall {
  readonly id: string;
  /** waiting, succeeded or failed. */
  readonly status: string;
  /** `tcp:22 192.0.2.0/24`: one entry for each protocol, range of ports and source, sorted. */
  readonly inbound: readonly string[];
  /** Outgoing traffic in the same form, with destinations instead of sources. */
  readonly outbound: readonly string[];
  /** The tags of the droplets that the firewall protects, sorted. */
  readonly tags: readonly string[];
  /** The ids of the droplets that the firewall protects individually, sorted. */
  readonly droplets: readonly string[];
}

/** A droplet size. */
export interface DigitalOceanSize {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** The regions in which new droplets can have this size now. */
  readonly regions: readonly string[];
  readonly available: boolean;
}

/** A data center. */
export interface DigitalOceanRegion {
  readonly available: boolean;
  /** `storage` for volumes, … */
  readonly features: readonly string[];
}

/** An image. */
export interface DigitalOceanImage {
  readonly minDiskGb: number;
  readonly regions: readonly string[];
  /** NEW, available, pending, deleted or retired. */
  readonly status: string;
}

/** The type of the answer for each value of `get`. */
export interface DigitalOceanValues {
  readonly droplet: DigitalOceanDroplet | Absent;
  readonly volume: DigitalOceanVolume | Absent;
  /** The key that furrow registered under a name. */
  readonly ownKey: DigitalOceanSshKey | Absent;
  /** The registered key whose public key is given in `name`, regardless of the key's own name. */
  readonly sshKey: DigitalOceanSshKey | Absent;
  readonly firewall: DigitalOceanFirewall | Absent;
  readonly size: DigitalOceanSize | Absent;
  readonly region: DigitalOceanRegion | Absent;
  readonly image: DigitalOceanImage | Absent;
}
