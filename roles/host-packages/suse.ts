import type { Family } from "./family.ts";

/**
 * A unit that loads furrow's tables at boot: older nftables packages have no such unit, and newer ones have a unit that
 * loads another file.
 */
const filterUnit = `[Unit]
Description=Packet filter tables of a Harvester host
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target shutdown.target
Conflicts=shutdown.target
ConditionPathExists=/etc/nftables.conf

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f /etc/nftables.conf

[Install]
WantedBy=sysinit.target
`;

/** The name of the unit that loads furrow's tables at boot. */
export const suseFilterUnit = "harvester-nftables";

/**
 * SLES and openSUSE, version 15.6 and later. This has not been tested on such a host; instead, a test compares the
 * names with those in SUSE's own files (test/suse/packages.json, with the sources).
 */
export const suse: Family = {
  packages: [
    "parted",
    // libvirt.spec (build.opensuse.org, Virtualization): `libvirt` requires the client, the QEMU driver, the network
    // driver and dnsmasq.
    "libvirt",
    // qemu.spec: `qemu-kvm` is a deprecated link; `qemu-x86` requires the network cards' boot programs and SeaBIOS.
    "qemu-x86",
    "qemu-tools",
    // nginx.spec, nginx.service: /etc/nginx/mime.types, PIDFile=/run/nginx.pid, /var/log/nginx.
    "nginx",
    "cron",
    "curl",
    // curl only recommends these certificates, and recommended packages are not installed.
    "ca-certificates-mozilla",
  ],
  // ovmf.spec: /usr/share/qemu/ovmf-x86_64*.bin, with the descriptors by which libvirt finds these files (since 15.2).
  uefi: ["qemu-ovmf-x86_64", "ipxe-bootimgs"],
  airGap: ["nftables", "chrony"],
  exposure: ["socat"],
  // cronie.spec: cron.service; SUSE's packages do not start services (en.opensuse.org, Systemd packaging guidelines).
  starts: ["cron"],
  // cloud-regionsrv-client: guestregister.service.
  registers: true,
  // nginx.sysusers: a user nginx with a group of the same name.
  nginxUser: "nginx",
  // ipxe.spec, %files bootimgs.
  ipxe: "/usr/share/ipxe/ipxe-x86_64.efi",
  files: {
    "/usr/share/ipxe/ipxe-x86_64.efi": "ipxe-bootimgs",
    "/etc/nginx/mime.types": "nginx",
    "/usr/bin/socat": "socat",
  },
  // "Modular daemons are enabled by default" (SLES 15 SP6, Virtualization Guide, "libvirt daemons"), and virsh uses
  // only them (libvirt.spec: remote_default_mode=direct). Idle services stop, so the sockets must be enabled.
  libvirt: {
    // On Leap 15.6, the original project's image enables the single daemon. Guests keep running without it (libvirt,
    // "Switching to modular daemons").
    replaces: ["libvirtd.socket", "libvirtd-ro.socket", "libvirtd-admin.socket", "libvirtd.service"],
    answering: ["virtnetworkd.socket", "virtqemud.socket"],
    atBoot: ["virtnetworkd", "virtqemud"],
    nodes: "virtqemud",
    network: "virtnetworkd",
  },
  // nftables.spec and its patch "add a systemd unit for static rulesets" (2025): a unit for
  // /etc/nftables/rules/main.nft.
  filter: { main: "/etc/nftables.conf", unit: suseFilterUnit, text: filterUnit },
  // chrony.spec: `include /etc/chrony.d/*.conf` is put at the end of chrony.conf; the unit is chronyd.service.
  chrony: { folder: "/etc/chrony.d", unit: "chronyd" },
};

/** "The monolithic daemon is enabled by default" (SLES 15 SP4, Virtualization Guide, "libvirt daemons"). */
export const suseBefore156: Family = {
  ...suse,
  libvirt: { replaces: [], answering: ["libvirtd"], atBoot: [], nodes: "libvirtd", network: "libvirtd" },
};
