import { hostFacts } from "../../src/authoring.ts";

/** The vars of a cluster of three nodes. */
export const vars = {
  nodes: 3,
  disks: ["/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"],
  token: "t",
  password: "p",
};

/** The state of a host that can have three nodes. */
export const host = {
  [`host:${hostFacts().key}`]: {
    hostname: "metal",
    os: { id: "debian", version: "12", like: ["debian"] },
    architecture: "x86_64",
    kernel: "6.1",
    processors: 64,
    memoryBytes: 256 * 2 ** 30,
    kvm: true,
    addresses: {},
  },
  "file:/dev/kvm": { type: "other" },
  // Nothing listens on these ports yet; later, the cluster will.
  "port:127.0.0.1 443": { open: false },
  "port:127.0.0.1 6443": { open: false },
  "unit:libvirtd.service": { state: "started", enabled: true },
  "unit:libvirt-guests.service": { state: "started", enabled: true },
  "file:/boot/ipxe.efi": { type: "file", text: "iPXE" },
  "file:/usr/bin/socat": { type: "file", text: "socat" },
  "file:/mnt/datadisk1": { type: "directory" },
  "file:/mnt/datadisk2": { type: "directory" },
  "file:/mnt/datadisk3": { type: "directory" },
} as const;

const part = { url: "https://mirror.example/v1.8.3", checksum: `sha512:${"c".repeat(128)}` };
/** The boot artifacts of a release to which that cluster can be upgraded. */
export const upgradeArtifacts = { kernel: part, initrd: part, rootfs: part, iso: part };
