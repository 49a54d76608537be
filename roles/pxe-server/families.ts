import type { HostFacts } from "../../src/authoring.ts";

/** The names that differ between distribution families; the role needs to know nothing else about a family. */
export interface BootFamily {
  readonly packages: readonly string[];
  /** The user and group that nginx runs as. */
  readonly nginxUser: string;
  /** The paths of iPXE's programs, as in their package. */
  readonly ipxe: Readonly<Record<"bios" | "uefi", string>>;
}

const debian: BootFamily = {
  // dnsmasq-base contains the program without a service; the package dnsmasq would also start a DNS server of its own.
  packages: ["dnsmasq-base", "nginx-light", "ipxe", "nmap"],
  nginxUser: "www-data",
  ipxe: { bios: "/usr/lib/ipxe/undionly.kpxe", uefi: "/boot/ipxe.efi" },
};

/**
 * SUSE's packages do not start services. Paths: ipxe.spec, %files bootimgs; user: nginx.sysusers
 * (test/suse/packages.json).
 */
const suse: BootFamily = {
  packages: ["dnsmasq", "nginx", "ipxe-bootimgs", "nmap"],
  nginxUser: "nginx",
  ipxe: { bios: "/usr/share/ipxe/undionly.kpxe", uefi: "/usr/share/ipxe/ipxe-x86_64.efi" },
};

/**
 * Red Hat's packages do not start services either. Paths: ipxe.spec of Fedora and RHEL, %files bootimgs, which RHEL 9
 * renamed to bootimgs-x86; user: nginx.spec. Not tested on such a host.
 */
const redHat: BootFamily = { ...suse, packages: ["dnsmasq", "nginx", "ipxe-bootimgs-x86", "nmap"] };
const redHat8: BootFamily = { ...redHat, packages: ["dnsmasq", "nginx", "ipxe-bootimgs", "nmap"] };

/** Returns the family of a host; undefined if the role does not support the host. */
export function bootFamily({ os }: Pick<HostFacts, "os">): BootFamily | undefined {
  if (os.like.includes("debian")) return debian;
  if (os.like.includes("suse")) return suse;
  if (!os.like.some((name) => name === "rhel" || name === "fedora")) return undefined;
  return os.id !== "fedora" && Number.parseInt(os.version, 10) < 9 ? redHat8 : redHat;
}
