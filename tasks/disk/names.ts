import type { BlockDevice, DiskEntry } from "../../src/authoring.ts";
import type { BlockLayout, Volume } from "../../src/facts/catalogue.ts";

const phrases: Readonly<Record<string, string>> = {
  LVM2_member: "an LVM physical volume",
  LVM1_member: "an LVM physical volume",
  linux_raid_member: "a member of a Linux software RAID (mdraid)",
  ddf_raid_member: "a member of a DDF RAID",
  isw_raid_member: "a member of an Intel RAID",
  crypto_LUKS: "an encrypted volume (LUKS)",
  BitLocker: "an encrypted volume (BitLocker)",
  swap: "swap space",
  swsuspend: "a hibernation image",
  bcache: "a bcache device",
  zfs_member: "a member of a ZFS pool",
  ceph_bluestore: "a Ceph OSD",
  drbd: "a DRBD volume",
  VMFS_volume_member: "a VMFS volume",
  ambivalent: "several signatures at once",
  unreadable: "something that cannot be probed",
  gpt: "a GPT partition table",
  dos: "an MBR partition table",
  PMBR: "a protective MBR without the GPT it protects",
};

/** Describes a signature: `an ext4 file system`. */
export function signatureName(type: string): string {
  const article = /^(?:[aeiox]|[fnh][^aeiouli])/i.test(type) ? "an" : "a";
  return phrases[type] ?? `${article} ${type} file system`;
}

/**
 * Describes what a disk contains: `a GPT partition table with 2 partitions (1: an ext4 file system, 2: swap space)`.
 */
export function holdings(layout: BlockLayout): string {
  const partitions = Object.entries(layout.partitions);
  const types = [...new Set(layout.signatures.map((signature) => signature.slice(0, signature.indexOf("@"))))];
  // The boot sector of a file system looks like an MBR, so if blkid reports a single signature, trust blkid.
  const named = layout.fileSystem !== "" && layout.fileSystem !== "ambivalent";
  const tableTypes = named ? [] : types.filter((type) => ["gpt", "dos", "PMBR"].includes(type));
  const table = layout.table || (tableTypes[0] ?? "");
  const others = types.filter((type) => !["gpt", "dos", "PMBR", table].includes(type));
  const parts = [
    table === "" ? undefined : `${signatureName(table)} with ${count(partitions.length)}${inside(partitions)}`,
    ...others.map((type) => `${signatureName(type)}${others.length === 1 ? called(layout) : ""}`),
    others.length === 0 && layout.fileSystem !== "" ? signatureName(layout.fileSystem) : undefined,
  ].filter((part) => part !== undefined);
  return parts.join(" and ");
}

function count(partitions: number): string {
  return partitions === 0 ? "no partition" : partitions === 1 ? "1 partition" : `${partitions} partitions`;
}

function inside(partitions: readonly (readonly [string, Volume])[]): string {
  if (partitions.length === 0) return "";
  const list = partitions.map(([number, volume]) =>
    volume.fileSystem === ""
      ? `${number}: no known content`
      : `${number}: ${signatureName(volume.fileSystem)}${called(volume)}`,
  );
  return ` (${list.join(", ")})`;
}

function called(volume: Volume): string {
  return volume.label === "" ? "" : ` labelled "${volume.label}"`;
}

/** Formats a size for display: `50 GiB`. */
export function size(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${units[unit] ?? ""}`;
}

/** Returns a human-readable description of a disk: `/dev/sdb (50 GiB, serial vol-1)`. */
export function diskName(asked: string, device: BlockDevice): string {
  const also = device.path === asked ? "" : `${device.path}, `;
  return `${asked} (${also}${size(device.sizeBytes)}${device.serial === "" ? "" : `, serial ${device.serial}`})`;
}

/** Lists a host's disks on one line, for the message about a disk that does not exist. */
export function diskList(disks: readonly DiskEntry[]): string {
  const list = disks.map((disk) => {
    const ids = disk.ids.length === 0 ? "" : `, ${disk.ids.map((id) => `/dev/disk/by-id/${id}`).join(", ")}`;
    return `${disk.path} (${size(disk.sizeBytes)}${disk.serial === "" ? "" : `, serial ${disk.serial}`}${ids})`;
  });
  return list.length === 0 ? "no disk at all" : list.join("; ");
}

/** Describes what uses a volume. Mount points are written as in /proc/self/mountinfo. */
export function useNames(uses: readonly string[]): string {
  return uses.map(useName).join(", ");
}

function useName(use: string): string {
  const [kind = "", ...rest] = use.split(":");
  const name = rest.join(":");
  switch (kind) {
    case "mount":
      return `mounted at ${name}`;
    case "holder":
      return `in use by ${name}`;
    case "loop":
      return `in use through the loop device /dev/${name}`;
    case "process":
      return `open for writing by process ${name.replace("-", " (")})`;
    case "log":
      return `in use as the log or real-time device of the file system at ${name}`;
    case "journal":
      return `in use as the journal of ${name === "" ? "another file system" : `the file system on /dev/${name.replaceAll("!", "/")}`}`;
    case "namespace": {
      const at = name.lastIndexOf(":/");
      return `mounted at ${name.slice(at + 1)} in the mount namespace of process ${name.slice(0, at).replace("-", " (")})`;
    }
    case "path": {
      const node = rest[0]?.replaceAll("!", "/");
      return `${useName(rest.slice(1).join(":"))} as /dev/${node} (the same disk by a second path, or another disk with the same serial)`;
    }
    case "unknown":
      return "perhaps open in a process: a file system does not answer, so the open files cannot be read";
    case "mounted":
      return "mounted in a mount namespace that contains no process";
    case "claimed":
      return "in exclusive use by something that the host does not list, such as a ZFS pool or an iSCSI target";
    default:
      return "in use as swap";
  }
}
