import { type Absent, absent } from "../../core/facts/symbols.ts";
import { attribute, child, childrenOf, type Xml } from "./xml.ts";

/** A disk that is stored in a file. */
export interface DomainDisk {
  readonly file: string;
  /** The format of the image: `qcow2`, `raw`. */
  readonly format: string;
  /** `virtio`, `scsi`, `sata` … */
  readonly bus: string;
  /** The serial number; empty if the disk has none. */
  readonly serial: string;
  readonly wwn: string;
  /** The position in the boot order, from 1; 0 if the guest does not boot from the disk. */
  readonly boot: number;
}

/**
 * A guest's network interface. It is connected to a libvirt network or to a bridge on the host; the other field is
 * empty.
 */
export interface DomainInterface {
  readonly network: string;
  readonly bridge: string;
  readonly model: string;
  /** The position in the boot order, from 1; 0 if the guest does not boot from the interface. */
  readonly boot: number;
}

/** The VNC server that shows a guest's screen. */
export interface DomainVnc {
  readonly listen: string;
  /** 0 if libvirt chooses a port at each start. */
  readonly port: number;
}

/** The part of a domain's XML (libvirt: formatdomain) that furrow manages; the rest stays unchanged. */
export interface DomainConfig {
  /** `kvm`, or `qemu` for software emulation. */
  readonly type: string;
  readonly memoryMiB: number;
  readonly vcpus: number;
  /** `host-passthrough`, `host-model`, `maximum`, or the name of a model; empty for libvirt's default. */
  readonly cpu: string;
  /** The family of the machine type: `q35`, `pc`, `virt`. */
  readonly machine: string;
  readonly firmware: "bios" | "uefi";
  /** The boot order by device type: `hd`, `network`, `cdrom`; empty if each device has its own position. */
  readonly boot: readonly string[];
  readonly onReboot: string;
  readonly onCrash: string;
  /** Hard disks by target: `vda`. In a want, `absent` removes a disk. */
  readonly disks: Readonly<Record<string, DomainDisk | Absent>>;
  /** Interfaces by MAC address in lower case. In a want, `absent` removes an interface. */
  readonly interfaces: Readonly<Record<string, DomainInterface | Absent>>;
  /** True if the first serial port is a console on the host. */
  readonly serial: boolean;
  /** The file that records the console output; empty if the output is not recorded. */
  readonly serialLog: string;
  readonly vnc: DomainVnc | Absent;
}

const unitKiB: Readonly<Record<string, number>> = {
  b: 1 / 1024,
  bytes: 1 / 1024,
  KB: 1000 / 1024,
  k: 1,
  KiB: 1,
  MB: 1e6 / 1024,
  M: 1024,
  MiB: 1024,
  GB: 1e9 / 1024,
  G: 1024 ** 2,
  GiB: 1024 ** 2,
  TiB: 1024 ** 3,
};

/** Reads the part of a domain's XML that furrow manages; ignores the order of elements and libvirt's own additions. */
export function domainConfig(domain: Xml): DomainConfig {
  const os = child(domain, "os");
  const memory = child(domain, "memory");
  const devices = child(domain, "devices");
  const serial = childrenOf(devices, "serial").find((one) => attribute(one, "type") === "pty");
  return {
    type: attribute(domain, "type"),
    memoryMiB: (Number(memory?.text ?? 0) * (unitKiB[attribute(memory, "unit") || "KiB"] ?? 1)) / 1024,
    vcpus: Number(child(domain, "vcpu")?.text ?? 1),
    cpu: cpuOf(child(domain, "cpu")),
    machine: machineFamily(attribute(child(os, "type"), "machine")),
    firmware:
      attribute(os, "firmware") === "efi" || attribute(child(os, "loader"), "type") === "pflash" ? "uefi" : "bios",
    boot: childrenOf(os, "boot").map((boot) => attribute(boot, "dev")),
    onReboot: child(domain, "on_reboot")?.text ?? "restart",
    onCrash: child(domain, "on_crash")?.text ?? "destroy",
    disks: sorted(hardDisks(devices).map((disk) => [targetOf(disk), diskOf(disk)])),
    interfaces: sorted(namedInterfaces(devices).map((nic) => [macOf(nic), interfaceOf(nic)])),
    serial: serial !== undefined,
    serialLog: attribute(child(serial, "log"), "file"),
    vnc: vncOf(devices),
  };
}

/**
 * The family of a machine type: `q35` for `pc-q35-7.2`, `pc` for `pc-i440fx-7.2`, `virt` for `virt-7.2`. A versioned
 * type never changes by itself.
 */
export function machineFamily(machine: string): string {
  if (/^(pc-)?q35/.test(machine)) return "q35";
  return /^pc(-i440fx.*|-\d.*)?$/.test(machine) ? "pc" : machine.replace(/-\d[\d.]*$/, "");
}

function cpuOf(cpu: Xml | undefined): string {
  const mode = attribute(cpu, "mode");
  return mode === "" || mode === "custom" ? (child(cpu, "model")?.text ?? "") : mode;
}

/**
 * The disks that furrow manages: hard disks backed by files. Removable media and disks with other sources are omitted.
 */
export function hardDisks(devices: Xml | undefined): Xml[] {
  return childrenOf(devices, "disk").filter(
    (disk) => attribute(disk, "type") === "file" && ["", "disk"].includes(attribute(disk, "device")),
  );
}

/** The interfaces that furrow manages: interfaces that are connected to a network or a bridge. */
export function namedInterfaces(devices: Xml | undefined): Xml[] {
  return childrenOf(devices, "interface").filter((nic) => ["network", "bridge"].includes(attribute(nic, "type")));
}

/** The target of a disk: `vda`. */
export function targetOf(disk: Xml): string {
  return attribute(child(disk, "target"), "dev");
}

/** The MAC address of an interface, in lower case. */
export function macOf(nic: Xml): string {
  return attribute(child(nic, "mac"), "address").toLowerCase();
}

function diskOf(disk: Xml): DomainDisk {
  return {
    file: attribute(child(disk, "source"), "file"),
    format: attribute(child(disk, "driver"), "type") || "raw",
    bus: attribute(child(disk, "target"), "bus"),
    serial: child(disk, "serial")?.text ?? "",
    wwn: child(disk, "wwn")?.text ?? "",
    boot: Number(attribute(child(disk, "boot"), "order")),
  };
}

function interfaceOf(nic: Xml): DomainInterface {
  const of = (type: string): string => (attribute(nic, "type") === type ? attribute(child(nic, "source"), type) : "");
  return {
    network: of("network"),
    bridge: of("bridge"),
    model: attribute(child(nic, "model"), "type"),
    boot: Number(attribute(child(nic, "boot"), "order")),
  };
}

function vncOf(devices: Xml | undefined): DomainVnc | Absent {
  const graphics = childrenOf(devices, "graphics").find((one) => attribute(one, "type") === "vnc");
  if (graphics === undefined) return absent;
  const auto = attribute(graphics, "autoport") === "yes" || ["", "-1"].includes(attribute(graphics, "port"));
  return {
    listen: attribute(graphics, "listen") || attribute(child(graphics, "listen"), "address"),
    port: auto ? 0 : Number(attribute(graphics, "port")),
  };
}

function sorted<V>(entries: readonly (readonly [string, V])[]): Record<string, V> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
