import type { HostFacts } from "../../src/authoring.ts";
import type { Family } from "./family.ts";
import { suse, suseBefore156 } from "./suse.ts";

/** The supported families, by name. */
export const families = {
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
    starts: [],
    registers: false,
    nginxUser: "www-data",
    ipxe: "/boot/ipxe.efi",
    files: { "/boot/ipxe.efi": "ipxe", "/usr/bin/socat": "socat" },
    libvirt: { replaces: [], answering: ["libvirtd"], atBoot: [], nodes: "libvirtd", network: "libvirtd" },
    filter: { main: "/etc/nftables.conf", unit: "nftables" },
    chrony: { folder: "/etc/chrony/conf.d", unit: "chrony" },
  },
  suse,
  suseBefore156,
} as const satisfies Readonly<Record<string, Family>>;

/** Returns the family of a host; undefined if the roles do not support the host. */
export function knownFamily({ os }: Pick<HostFacts, "os">): Family | undefined {
  // Tumbleweed's version is a date, which is larger than any version number.
  if (os.like.includes("suse")) return Number.parseFloat(os.version) < 15.6 ? families.suseBefore156 : families.suse;
  return os.like.includes("debian") ? families.debian : undefined;
}

/** Returns the family of a host that has passed preflight. */
export function familyOf(facts: Pick<HostFacts, "os">): Family {
  return knownFamily(facts) ?? families.debian;
}
