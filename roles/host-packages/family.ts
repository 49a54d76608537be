/** The names that differ between distribution families; the roles need to know nothing else about a family. */
export interface Family {
  /** Packages that every cluster needs. */
  readonly packages: readonly string[];
  /** Packages that only nodes with UEFI firmware need. */
  readonly uefi: readonly string[];
  /** Packages that are only needed for an air gap: a packet filter and a time server. */
  readonly airGap: readonly string[];
  /** Packages that are only needed to expose ports. */
  readonly exposure: readonly string[];
  /** Units in these packages that the roles need, but that neither the packages nor other tasks start. */
  readonly starts: readonly string[];
  /** True if machines in a cloud register themselves at their first boot, and have no repositories before that. */
  readonly registers: boolean;
  /** The user and group that nginx runs as. */
  readonly nginxUser: string;
  /** The path of iPXE for UEFI, as in its package. */
  readonly ipxe: string;
  /** Files that the roles use, each with the package that contains it. */
  readonly files: Readonly<Record<string, string>>;
  readonly libvirt: LibvirtUnits;
  readonly filter: FilterAtBoot;
  /** chrony's drop-in directory and its unit. */
  readonly chrony: { readonly folder: string; readonly unit: string };
}

/** The units of libvirt: one daemon for everything, or one per driver. */
export interface LibvirtUnits {
  /**
   * The units of the layout that is not used (one daemon, or one per driver). They must not run at the same time.
   * Sockets come first, because they would start the service.
   */
  readonly replaces: readonly string[];
  /** Units that virsh needs: started and enabled. */
  readonly answering: readonly string[];
  /** Other units that must run at boot so that networks and nodes start again. */
  readonly atBoot: readonly string[];
  /** The service that starts the nodes at boot. */
  readonly nodes: string;
  /** The service that starts the nodes' network at boot. */
  readonly network: string;
}

/** How packet filter tables are restored at boot. */
export interface FilterAtBoot {
  /** The file that the unit loads. */
  readonly main: string;
  readonly unit: string;
  /** The text of the unit, if no package contains a unit that loads the file. */
  readonly text?: string;
}
