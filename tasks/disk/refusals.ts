import {
  type Absent,
  absent,
  type BlockDevice,
  type DiskEntry,
  refuse,
  type Refusal,
  shellQuote,
} from "../../src/authoring.ts";
import { fstabEntries, fstabField } from "../../src/facts/catalogue.ts";
import { type Marks, smallest } from "./marks.ts";
import { diskList, holdings, size, useNames } from "./names.ts";
import { type Blankness, type Disk, namesOf, type Request, type Surroundings, type Target } from "./request.ts";

/** Refuses a device that is not a usable disk, or not the disk given in `wipe`, regardless of its content. */
export function refuseDevice(
  request: Request,
  device: Absent | BlockDevice,
  disks?: readonly DiskEntry[],
): Refusal | undefined {
  const { device: asked } = request;
  if (device === absent) {
    return refuse({
      code: "disk-missing",
      message: `${asked} does not exist on the host`,
      current: diskList(disks ?? []),
      expected: asked,
      hint: "Choose one of the host's disks, preferably by its path under /dev/disk/by-id",
    });
  }
  if (device.type !== "disk") {
    const what = { partition: "a partition", mapped: "a device-mapper volume", other: "not a block device" }[
      device.type
    ];
    return refuse({
      code: "not-a-disk",
      message: `${asked} is ${what}`,
      expected: "a whole disk",
      hint: "Give the whole disk; to mount an existing file system, use the mount task",
    });
  }
  if (device.sizeBytes === 0) {
    return refuse({ code: "disk-missing", message: `${asked} has no medium`, hint: "Attach a disk to it" });
  }
  if (request.wipe !== undefined && request.wipe.serial !== device.serial) {
    return refuse({
      code: "wrong-serial",
      message: `${asked} must not be wiped: it is not the disk given in wipe`,
      current: device.serial === "" ? "a disk without a serial" : `serial ${device.serial}`,
      expected: `serial ${request.wipe.serial}`,
      hint: "Find the disk with lsblk -o NAME,SERIAL,SIZE, and correct device or wipe",
    });
  }
  return undefined;
}

/** Refuses a mount point that is used for another purpose, or in which the mount would hide files. */
export function refuseMountPoint(
  request: Request,
  target: Target,
  { mount, fstab }: Surroundings,
  adopted: Target | undefined,
  disk: Disk,
  marks: Marks,
): Refusal | undefined {
  const { mountPoint } = request;
  if (mount.mounted && mount.source !== target.path) {
    return refuse({
      code: "mount-point-taken",
      message: `${mountPoint} has ${mount.source} mounted on it (${mount.fileSystem})`,
      expected: `${target.path}, or nothing`,
      hint: "Choose another mountPoint, or unmount the other volume by hand",
    });
  }
  const partition = disk.partitions[target.number];
  const names = namesOf(request, target, partition?.label ?? disk.label, partition?.id ?? marks.partition);
  const other = fstabEntries(fstab, mountPoint).find((entry) => !names.includes(entry.source));
  if (other !== undefined) {
    return refuse({
      code: "mount-point-taken",
      message: `/etc/fstab mounts ${other.source} at ${mountPoint}`,
      expected: adopted ? `UUID=${target.uuid}, or no line` : `no line for ${mountPoint}`,
      hint: "Remove that line from /etc/fstab by hand, or choose another mountPoint",
    });
  }
  if (!mount.mounted && mount.entries === "some") {
    return refuse({
      code: "mount-point-not-empty",
      message: `${mountPoint} is not mounted and holds files, which the mount would hide`,
      hint: "Move the files away first",
    });
  }
  return undefined;
}

/** Refuses a disk that is in use for another purpose. */
export function refuseUse(
  name: string,
  request: Request,
  disk: Disk,
  adopted: Target | undefined,
  mount: Surroundings["mount"],
): Refusal | undefined {
  // The kernel reports the real path of a mount, but the playbook may name the mount point through a symlink.
  if (adopted && mount.mounted && mount.source === adopted.path) return undefined;
  const own = adopted && (adopted.number === "" ? disk : disk.partitions[adopted.number]);
  // A mount in another mount namespace does not prevent a mount here.
  const all =
    own?.uses.filter((use) => !isHiddenMount(use)) ??
    [disk, ...Object.values(disk.partitions)].flatMap((volume) => volume.uses);
  const isMountedHere = all.includes(`mount:${fstabField(request.mountPoint)}`);
  if (adopted && isMountedHere) return undefined;
  const copies = all.filter((use) => use.startsWith("copy:")).map((use) => use.slice("copy:".length));
  const uses = all.filter((use) => !use.startsWith("copy:"));
  if (uses.length === 0 && (adopted === undefined || copies.length === 0)) return undefined;
  if (uses.length === 0) {
    return refuse({
      code: "uuid-twice",
      message: `${name} has the same file system UUID ${adopted?.uuid} as ${copies.join(" and ")}: either of them might be mounted`,
      expected: "a UUID that only one disk has",
      hint: "Detach the copy, or give it its own UUID: tune2fs -U random, xfs_admin -U generate, btrfstune -u",
    });
  }
  const isMounted = uses.some((use) => /^(path:[^:]+:)?mount:/.test(use) || isHiddenMount(use));
  return refuse({
    code: isMountedHere ? "disk-mounted" : isMounted ? "disk-mounted-elsewhere" : "disk-in-use",
    message: `${name} is ${useNames(uses)}${holdings(disk) === "" ? "" : ` and contains ${holdings(disk)}`}`,
    expected: "an unused disk",
    hint: isMountedHere ? mountedHint(request.mountPoint) : useHint(uses),
  });
}

function isHiddenMount(use: string): boolean {
  return use === "mounted" || use.startsWith("namespace:");
}

function mountedHint(point: string): string {
  return `Unmount ${point} on the host (umount ${shellQuote(point)}) and stop all other uses, or choose another disk`;
}

function useHint(uses: readonly string[]): string {
  const [, pid] = uses.map((use) => /^namespace:(\d+)-/.exec(use)).find((match) => match !== null) ?? [];
  if (pid !== undefined) {
    return `Stop process ${pid}, or unmount it there (nsenter --target ${pid} --mount umount PATH), or choose another disk`;
  }
  if (uses.some((use) => use.startsWith("path:"))) {
    return "Stop using it under its other name, give different disks different serials, or choose another disk";
  }
  if (uses.includes("unknown")) {
    return "Make the file server available again, or unmount its file system (umount --lazy), then rerun";
  }
  if (uses.includes("mounted")) {
    return "Remove the mount namespace (findmnt --type nsfs lists the persistent ones), or choose another disk";
  }
  if (uses.includes("claimed")) {
    return "Find and stop whatever uses it, for example with lsblk, zpool status or targetcli ls, or choose another disk";
  }
  return "Stop using it first, or choose another disk";
}

/** Refuses a disk or host on which the file system cannot be created. */
export function refuseUnfit(
  name: string,
  request: Request,
  disk: Disk,
  blankness: Blankness | undefined,
  marks: Marks,
): Refusal | undefined {
  const least = Math.max(request.minimumSizeBytes ?? 0, smallest[request.fileSystem]);
  if (disk.sizeBytes < least) {
    return refuse({
      code: "disk-too-small",
      message: `${name} is too small`,
      current: `${disk.sizeBytes} bytes (${size(disk.sizeBytes)})`,
      expected: `at least ${least} bytes (${size(least)})`,
      hint: "Attach a larger disk",
    });
  }
  if (disk.readOnly || (disk.sectorBytes !== 512 && disk.sectorBytes !== 4096)) {
    const fault = disk.readOnly ? "is read-only" : `has ${disk.sectorBytes}-byte sectors`;
    return refuse({ code: "disk-unfit", message: `${name} ${fault}`, hint: "Choose a disk that can be partitioned" });
  }
  if (blankness?.mkfs === absent) {
    return refuse({
      code: "tool-missing",
      message: `mkfs.${request.fileSystem} is not installed on the host`,
      hint: `Put package({ name: "${{ ext4: "e2fsprogs", xfs: "xfsprogs", btrfs: "btrfs-progs" }[request.fileSystem]}" }) before this task`,
    });
  }
  const sameUuid = blankness?.sameUuid;
  if (sameUuid !== undefined && sameUuid !== absent && sameUuid.path !== marks.path) {
    return refuse({
      code: "uuid-taken",
      message: `${sameUuid.path} already has the UUID that the file system on ${request.device} would get: two disks report the serial "${disk.serial}"`,
      hint: "Give each disk its own serial, or remove the copy",
    });
  }
  return undefined;
}
