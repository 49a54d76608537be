import type { HostFacts } from "../../src/authoring.ts";

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
  /** User and group that nginx reads files as. */
  readonly nginxUser: string;
  /** iPXE for UEFI, as the package has it. */
  readonly ipxe: string;
  /** File that nftables.service loads at boot. */
  readonly nftables: string;
  /** Folder of drop-ins that chrony reads, and its unit. */
  readonly chrony: { readonly folder: string; readonly unit: string };
}

/** The families by the word that is in a host's `os.like`. */
export const families: Readonly<Record<"debian" | "suse", Family>> = {
  debian: {
    packages: [
      "parted",
      "libvirt-daemon-system",
      "libvirt-clients",
      "qemu-system-x86",
      "qemu-utils",
      "ipxe-qemu",
      "dnsmasq-base",
      "nginx-light",
      "cron",
      "curl",
    ],
    uefi: ["ovmf", "ipxe"],
    airGap: ["nftables", "chrony"],
    exposure: ["socat"],
    nginxUser: "www-data",
    ipxe: "/usr/lib/ipxe/ipxe.efi",
    nftables: "/etc/nftables.conf",
    chrony: { folder: "/etc/chrony/conf.d", unit: "chrony" },
  },
  suse: {
    packages: ["parted", "libvirt", "qemu-kvm", "qemu-tools", "nginx", "cron", "curl"],
    uefi: ["qemu-ovmf-x86_64", "ipxe-bootimgs"],
    airGap: ["nftables", "chrony"],
    exposure: ["socat"],
    nginxUser: "nginx",
    ipxe: "/usr/share/ipxe/ipxe-x86_64.efi",
    nftables: "/etc/nftables.conf",
    chrony: { folder: "/etc/chrony.d", unit: "chronyd" },
  },
};

/** The family of a host; undefined where the roles know none. */
export function knownFamily({ os }: Pick<HostFacts, "os">): Family | undefined {
  if (os.like.includes("suse")) return families.suse;
  return os.like.includes("debian") ? families.debian : undefined;
}

/** The family of a host that preflight has let through. */
export function familyOf(facts: Pick<HostFacts, "os">): Family {
  return knownFamily(facts) ?? families.debian;
}
