import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";

/** Package names by distribution family; the first that is in the host's `os.like` counts. */
const packagesOf = {
  debian: [
    "parted",
    "libvirt-daemon-system",
    "libvirt-clients",
    "qemu-system-x86",
    "qemu-utils",
    "ipxe-qemu",
    "dnsmasq-base",
    "ovmf",
    "ipxe",
    "nginx-light",
    "cron",
  ],
  suse: ["parted", "libvirt", "qemu-kvm", "qemu-tools", "qemu-ovmf-x86_64", "ipxe-bootimgs", "nginx", "cron"],
} as const;

/** Packages that only nodes with UEFI firmware need. */
const onlyUefi: ReadonlySet<string> = new Set(["ovmf", "ipxe", "qemu-ovmf-x86_64", "ipxe-bootimgs"]);

/** What these packages' scripts set up: check mode must not call it foreseen. */
const provides = ["libvirtNet:default", "file:/etc/nginx/**", "file:/etc/libvirt/**", "file:/var/lib/libvirt/**"];

/** Installs what a host needs to run and boot nested nodes. */
export const hostPackages = role(
  {
    name: "host packages",
    summary: "Install libvirt, QEMU, nginx and the tools the other roles use",
    params: z.strictObject({ facts: z.custom<HostFacts>(), firmware: z.enum(["bios", "uefi"]) }),
  },
  ({ facts, firmware }) => {
    const family = facts.os.like.includes("suse") ? "suse" : "debian";
    const names = packagesOf[family].filter((name) => firmware === "uefi" || !onlyUefi.has(name));
    return [t.pkg({ name: names, recommends: false, provides }, { name: "packages of libvirt, QEMU, iPXE and nginx" })];
  },
);
