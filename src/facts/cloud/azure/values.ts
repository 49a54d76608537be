import type { Absent } from "../../../core/facts/symbols.ts";

/**
 * The data that Azure Resource Manager returns about its resources, normalized: locations as in ids (`westeurope`),
 * sets as maps, references as names (`group/name` for another resource group). The terms are those used at
 * https://learn.microsoft.com/rest/api/azure/.
 */

/** Identifies a resource by its name in a resource group, or an offer by its name in a location. */
export interface AzurePlace {
  readonly name: string;
  readonly group?: string | undefined;
  readonly location?: string | undefined;
  /** The subscription's id; if undefined, AZURE_SUBSCRIPTION_ID. */
  readonly subscription?: string | undefined;
}

/** Names and values. */
export type AzureTags = Readonly<Record<string, string>>;

/** The fields of every resource. */
export interface AzureResource {
  readonly location: string;
  /** The provisioning state. furrow waits until the state is Succeeded or Failed. */
  readonly state: string;
  readonly tags: AzureTags;
}

/** A resource group. */
export type AzureGroup = AzureResource;

/** A virtual network. */
export interface AzureNetwork extends AzureResource {
  readonly cidrs: readonly string[];
  /** The subnets by name, each with its network and the name of its security group (empty if it has none). */
  readonly subnets: Readonly<Record<string, { readonly cidr: string; readonly securityGroup: string }>>;
}

/** A network security group. */
export interface AzureSecurityGroup extends AzureResource {
  /** `tcp:22 192.0.2.0/24`: one entry for each protocol, range of ports and source that is allowed, sorted. */
  readonly inbound: readonly string[];
  /** The names of all other rules, sorted. */
  readonly other: readonly string[];
}

/** A public IPv4 address. */
export interface AzureAddress extends AzureResource {
  readonly address: string;
}

/** A network interface. */
export interface AzureCard extends AzureResource {
  /** The name of the machine that the interface is attached to; empty if it is not attached. */
  readonly machine: string;
}

/** A managed disk. */
export interface AzureDisk extends AzureResource {
  /** `1`; empty for a disk without a zone. */
  readonly zone: string;
  readonly sizeGb: number;
  /** `Premium_LRS`, … */
  readonly type: string;
  /**
   * The machine that the disk is attached to, or several separated by commas: `a, group/b`; empty if the disk is not
   * attached.
   */
  readonly machine: string;
}

/** A virtual machine, with its first network interface. */
export interface AzureMachine {
  readonly id: string;
  readonly location: string;
  /**
   * running, deallocated, stopped, …; `creating` comes from the provisioning state; `failed` if the creation failed.
   */
  readonly status: string;
  readonly size: string;
  /** `1`; empty for a machine without a zone. */
  readonly zone: string;
  /** standard, trustedLaunch or confidential. */
  readonly security: string;
  readonly login: string;
  /** `publisher:offer:sku:version`, as given when the machine was created. */
  readonly image: string;
  /** The SSH keys with which the machine was created, sorted. */
  readonly publicKeys: readonly string[];
  /** The name of the machine's first disk. */
  readonly osDisk: string;
  /**
   * The data disks by name, each with its number on the disk controller, and what happens to it when the machine is
   * deleted.
   */
  readonly disks: Readonly<Record<string, { readonly lun: number; readonly deleteOption: "Delete" | "Detach" }>>;
  /**
   * The names of the machine's network interfaces, the primary one first; `group/name` for an interface in another
   * resource group.
   */
  readonly cards: readonly string[];
  /** `network/subnet` of the machine's first interface; empty if the machine has none. */
  readonly network: string;
  /** Whether the machine's first interface has a public address. */
  readonly publicAddress: boolean;
  /** The public IPv4 address; empty if the machine has none. */
  readonly address: string;
  readonly privateAddress: string;
  readonly tags: AzureTags;
  /** The SSH host key that furrow read from the machine's console at the first boot; empty if it was not read. */
  readonly hostKeys: readonly string[];
}

/** A machine size, as offered in a location. */
export interface AzureSize {
  readonly vcpus: number;
  /** `standardDSv5Family`, which is also the name of the size's quota. */
  readonly family: string;
  /** The zones that offer the size. */
  readonly zones: readonly string[];
  /** Why this subscription cannot use the size in the location; empty if it can. */
  readonly restricted: string;
  /** The zones in which this subscription cannot use the size. */
  readonly restrictedZones: readonly string[];
  /** V1, V2. */
  readonly generations: readonly string[];
  /** x64 or Arm64. */
  readonly architecture: string;
  readonly mostDataDisks: number;
  readonly premiumDisks: boolean;
  readonly trustedLaunch: boolean;
  /** Whether disks are attached to a SCSI controller, for which furrow knows the device paths. */
  readonly scsi: boolean;
}

/** An image of the marketplace. */
export interface AzureImage {
  /** V1 or V2. */
  readonly generation: string;
  readonly architecture: string;
  /** Whether someone must first accept a seller's terms. */
  readonly plan: boolean;
}

/** The type of the answer for each value of `get`. */
export interface AzureValues {
  readonly group: AzureGroup | Absent;
  /** The contents of a resource group: `Microsoft.Compute/disks/data-1`, sorted. */
  readonly contents: { readonly all: readonly string[] } | Absent;
  readonly network: AzureNetwork | Absent;
  readonly securityGroup: AzureSecurityGroup | Absent;
  readonly address: AzureAddress | Absent;
  readonly card: AzureCard | Absent;
  readonly disk: AzureDisk | Absent;
  readonly machine: AzureMachine | Absent;
  readonly size: AzureSize | Absent;
  readonly image: AzureImage | Absent;
  /** A location of the subscription. */
  readonly location: { readonly zones: boolean } | Absent;
  /** The state of the subscription's registration for a feature of Microsoft.Compute: Registered, NotRegistered, … */
  readonly feature: { readonly state: string } | Absent;
}
