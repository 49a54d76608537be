import { type BlockDevice, derivedUuid, type GptLayout, partitionSpan } from "../../src/authoring.ts";

/** The file systems the disk task makes. */
export const fileSystems = ["ext4", "xfs", "btrfs"] as const;

/** One of {@link fileSystems}. */
export type FileSystem = (typeof fileSystems)[number];

/** Smallest disks, in bytes, on which the mkfs of each makes a file system. */
export const smallest: Readonly<Record<FileSystem, number>> = {
  ext4: 16 << 20,
  xfs: 320 << 20,
  btrfs: 128 << 20,
};

/** The name of a partition whose file system is not known to be complete. */
export const unfinishedName = "furrow-unfinished";
/** The name of a partition whose file system was made and synced. */
export const finishedName = "furrow";

/** What furrow's own partition on one disk of one host looks like; the same at every run. */
export interface Marks {
  /** PARTUUID. */
  readonly partition: string;
  /** UUID of the file system, by its type. */
  readonly fileSystem: Readonly<Record<FileSystem, string>>;
  readonly unfinished: GptLayout;
  readonly finished: GptLayout;
  /** Bytes. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
  /** The kernel's node of the partition. */
  readonly path: string;
}

/**
 * Derives the marks from the host's machine id and the disk's serial; a disk without one is known by its path, and
 * half-finished work on it is only taken up again under the same path.
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

/** The kernel's node of a partition: `/dev/sdb1`, `/dev/nvme0n1p1`. */
export function partitionPath(disk: string, number: string): string {
  return `${disk}${/\d$/.test(disk) ? "p" : ""}${number}`;
}
