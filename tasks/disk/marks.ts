import type { BlockDevice } from "../../src/authoring.ts";
import { derivedUuid, type GptLayout, partitionSpan } from "../../src/facts/catalogue.ts";

/** The file systems that the disk task can create. */
export const fileSystems = ["ext4", "xfs", "btrfs"] as const;

/** One of {@link fileSystems}. */
export type FileSystem = (typeof fileSystems)[number];

/** The smallest disk, in bytes, on which each mkfs can create a file system. */
export const smallest: Readonly<Record<FileSystem, number>> = {
  ext4: 16 << 20,
  xfs: 320 << 20,
  btrfs: 128 << 20,
};

/** The name of the partition until its file system is known to be complete. */
export const unfinishedName = "furrow-unfinished";
/** The name of the partition once its file system has been created and synced. */
export const finishedName = "furrow";

/** The ids of furrow's own partition on a given disk of a given host; they are the same in every run. */
export interface Marks {
  /** The id of the partition (PARTUUID). */
  readonly partition: string;
  /** The UUID of the file system, by file system type. */
  readonly fileSystem: Readonly<Record<FileSystem, string>>;
  readonly unfinished: GptLayout;
  readonly finished: GptLayout;
  /** The offset of the partition on the disk, in bytes. */
  readonly start: number;
  /** The size of the partition, in bytes. */
  readonly size: number;
  /** The kernel's device node for the partition. */
  readonly path: string;
}

/**
 * Derives the ids from the host's machine id and the disk's serial number. A disk without a serial number is identified
 * by its path, so unfinished work on it is continued only if the disk still has the same path.
 */
export function marksOf(machineId: string, device: BlockDevice): Marks {
  const derive = (role: string): string => derivedUuid(machineId, device.serial || device.path, role);
  const base = {
    diskBytes: device.sizeBytes,
    sectorBytes: device.sectorBytes,
    diskUuid: derive("disk"),
    partitionUuid: derive("partition"),
  };
  return {
    partition: base.partitionUuid,
    fileSystem: { ext4: derive("ext4"), xfs: derive("xfs"), btrfs: derive("btrfs") },
    unfinished: { ...base, name: unfinishedName },
    finished: { ...base, name: finishedName },
    ...partitionSpan(base),
    path: partitionPath(device.path, "1"),
  };
}

/** Returns the kernel's device node for a partition: `/dev/sdb1`, `/dev/nvme0n1p1`. */
export function partitionPath(disk: string, number: string): string {
  return `${disk}${/\d$/.test(disk) ? "p" : ""}${number}`;
}
