import { mkdir, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { diskListInside } from "../image/image-udev.ts";
import { runInHost } from "./inside.ts";
import type { LabDisk, LabHost } from "../lab.ts";
import { command } from "./shell.ts";

/** The default size of a data disk: 8 GiB. The file is sparse, so at first it takes up no space. */
export const defaultDiskSizeBytes = 8 * 2 ** 30;

/** The directory that contains a host's disk files, and the directory that appears as /sys/block inside the host. */
function diskPlaces(hostDirectory: string) {
  return { files: join(hostDirectory, "disks"), list: join(hostDirectory, "sys-block") } as const;
}

/** The `--bind-ro` argument of systemd-nspawn that shows a host only its own disks. */
export function diskListBind(host: LabHost): string {
  return `${diskPlaces(host.directory).list}:${diskListInside}`;
}

/**
 * Creates the disks of a host that has not booted yet.
 *
 * @param count the number of disks; 0 still creates the list of disks that the host sees, which is then empty
 */
export async function makeDisks(
  hostDirectory: string,
  hostName: string,
  count: number,
  sizeBytes: number,
): Promise<LabDisk[]> {
  await mkdir(diskPlaces(hostDirectory).list, { recursive: true });
  const disks: LabDisk[] = [];
  for (let n = 1; n <= count; n++) disks.push(await makeDisk(hostDirectory, `furrow-${hostName}-${n}`, sizeBytes));
  return disks;
}

async function makeDisk(hostDirectory: string, serial: string, sizeBytes: number): Promise<LabDisk> {
  const { files, list } = diskPlaces(hostDirectory);
  await mkdir(files, { recursive: true });
  const file = join(files, `${serial}.img`);
  await writeFile(file, "");
  await truncate(file, sizeBytes);
  const device = (await command(["losetup", "--find", "--show", "--partscan", file])).stdout.trim();
  await symlink(`../devices/virtual/block/${basename(device)}`, join(list, basename(device)));
  return { serial, path: `/dev/disk/by-id/virtio-${serial}`, device, file, sizeBytes };
}

/**
 * Attaches a new, empty disk to a running host, as a cloud attaches a volume; returns once the disk's by-id link
 * exists. The disk is removed with the lab, or earlier by `removeDisk`; `lab.json` lists only the disks that a host was
 * started with.
 *
 * @throws FurrowError E_LAB if the host is down or no loop device is available
 */
export async function freshDisk(host: LabHost, sizeBytes: number = defaultDiskSizeBytes): Promise<LabDisk> {
  const taken = await readdir(diskPlaces(host.directory).files).catch(() => []);
  const numbers = taken.map((name) => Number(/-(\d+)\.img$/.exec(name)?.[1] ?? 0));
  const disk = await makeDisk(host.directory, `furrow-${host.name}-${Math.max(0, ...numbers) + 1}`, sizeBytes);
  await runInHost(host, ["udevadm", "trigger", "--action=add", "--settle", `/sys/block/${basename(disk.device)}`]);
  return disk;
}

/** Detaches a disk from a host, even if it is mounted, and deletes its data. */
export async function removeDisk(host: LabHost, disk: LabDisk): Promise<void> {
  const name = basename(disk.device);
  // A lazy unmount inside the host releases the loop device even if a file on it is still open.
  const mounted = await runInHost(host, ["findmnt", "--noheadings", "--output", "TARGET", "--source", disk.device], {
    allowFailure: true,
  });
  const parts = await runInHost(host, ["lsblk", "--noheadings", "--raw", "--output", "MOUNTPOINT", disk.device], {
    allowFailure: true,
  });
  const points = new Set(`${mounted.stdout}\n${parts.stdout}`.split("\n").filter((line) => line.startsWith("/")));
  for (const point of points) await runInHost(host, ["umount", "--lazy", point], { allowFailure: true });
  await runInHost(host, ["systemctl", "stop", `furrow-lab-keep@${name}.service`], { allowFailure: true });
  await command(["losetup", "--detach", disk.device]);
  const serial = basename(disk.path);
  await runInHost(host, [
    "sh",
    "-c",
    `rm -f /dev/${name} /dev/${name}p* /dev/disk/by-id/${serial} /dev/disk/by-id/${serial}-part*`,
  ]);
  await rm(join(diskPlaces(host.directory).list, name), { force: true });
  await rm(disk.file, { force: true });
}
