/** What a family of distributions calls things: all that the roles must know of it. */
export interface Family {
  /** Packages every cluster needs. */
  readonly packages: readonly string[];
  /** Packages that only nodes with UEFI firmware need. */
  readonly uefi: readonly string[];
  /** Packages that only an air gap needs: a packet filter and a time server. */
  readonly airGap: readonly string[];
  /** Packages that only exposure needs. */
  readonly exposure: readonly string[];
  /** Units of these packages that roles need, start nowhere else, and that the packages leave off. */
  readonly starts: readonly string[];
  /** User and group that nginx reads files as. */
  readonly nginxUser: string;
  /** iPXE for UEFI, as the package has it. */
  readonly ipxe: string;
  readonly libvirt: LibvirtUnits;
  readonly filter: FilterAtBoot;
  /** Folder of drop-ins that chrony reads, and its unit. */
  readonly chrony: { readonly folder: string; readonly unit: string };
}

/** The units of libvirt: one daemon for all, or one for each of its drivers. */
export interface LibvirtUnits {
  /** What must answer for virsh to work: started, and enabled. */
  readonly answering: readonly string[];
  /** What must run at boot for networks and nodes to come back, beside those that answer. */
  readonly atBoot: readonly string[];
  /** The service that starts the nodes at boot. */
  readonly nodes: string;
  /** The service that starts their network at boot. */
  readonly network: string;
}

/** How tables of the packet filter come back after a boot. */
export interface FilterAtBoot {
  /** The file that the unit loads. */
  readonly main: string;
  readonly unit: string;
  /** Text of the unit, where no package has one that loads the file. */
  readonly text?: string;
}
