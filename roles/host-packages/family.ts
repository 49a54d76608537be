/** Names that differ between families of distributions: all that the roles need to know. */
export interface Family {
  /** Packages every cluster needs. */
  readonly packages: readonly string[];
  /** Packages that only nodes with UEFI firmware need. */
  readonly uefi: readonly string[];
  /** Packages that only an air gap needs: a packet filter and a time server. */
  readonly airGap: readonly string[];
  /** Packages that only exposure needs. */
  readonly exposure: readonly string[];
  /** Units of these packages that roles need, but neither the packages nor other tasks start. */
  readonly starts: readonly string[];
  /** User and group of nginx. */
  readonly nginxUser: string;
  /** Path of iPXE for UEFI in its package. */
  readonly ipxe: string;
  readonly libvirt: LibvirtUnits;
  readonly filter: FilterAtBoot;
  /** chrony's drop-in directory and its unit. */
  readonly chrony: { readonly folder: string; readonly unit: string };
}

/** The units of libvirt: one daemon for everything, or one per driver. */
export interface LibvirtUnits {
  /** Units that virsh needs: started and enabled. */
  readonly answering: readonly string[];
  /** Further units that must run at boot to bring back networks and nodes. */
  readonly atBoot: readonly string[];
  /** The service that starts the nodes at boot. */
  readonly nodes: string;
  /** The service that starts their network at boot. */
  readonly network: string;
}

/** How tables of the packet filter are restored at boot. */
export interface FilterAtBoot {
  /** The file that the unit loads. */
  readonly main: string;
  readonly unit: string;
  /** Text of the unit, if no package has one that loads the file. */
  readonly text?: string;
}
