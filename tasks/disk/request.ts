import type { Absent, BlockDevice, DiskEntry, MountState, Program, KnownAfterApply } from "../../src/authoring.ts";
import type { BlockLayout, DiskContent } from "../../src/facts/catalogue.ts";
import type { FileSystem } from "./marks.ts";

/** A disk, with all facts that were read about it. */
export type Disk = BlockDevice & BlockLayout;

/** The params that determine what may be done with a disk. */
export interface Request {
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: FileSystem;
  readonly minimumSizeBytes?: number | undefined;
  readonly wipe?: { readonly serial: string } | undefined;
}

/** The file system that is mounted or will be mounted. */
export interface Target {
  /** The partition number; empty for a file system on the whole disk. */
  readonly number: string;
  /** The kernel's device node. */
  readonly path: string;
  readonly uuid: string;
}

/**
 * The way in which the disk gets its file system. `adopt`: the file system already exists. `partition`: the disk is
 * blank, or contains part of furrow's own partition table. `format`: furrow's partition is marked as unfinished.
 * `finish`: only the final partition name is missing. `wipe`: the content is destroyed first, as requested.
 */
export interface Plan {
  readonly act: "adopt" | "partition" | "format" | "finish" | "wipe";
  readonly target: Target;
}

/** The context of the disk: the state of the mount point, the text of fstab, and the host's disks. */
export interface Surroundings {
  readonly mount: MountState;
  readonly fstab: string;
  readonly disks?: readonly DiskEntry[];
}

/** Facts that show whether a disk is blank and can be formatted; read only if the disk has no file system to adopt. */
export interface Blankness {
  readonly content: Absent | DiskContent;
  /** The device that already has the UUID that the new file system would get. */
  readonly sameUuid: Absent | BlockDevice;
  readonly mkfs: Absent | KnownAfterApply | Program | undefined;
}

/** Returns all names under which fstab may list a volume on the disk. */
export function namesOf({ device }: Request, target: Target, label: string, id: string): readonly string[] {
  return [
    `UUID=${target.uuid}`,
    target.path,
    ...(target.number === "" ? [device] : [`${device}-part${target.number}`]),
    ...(label === "" ? [] : [`LABEL=${label}`]),
    ...(id === "" ? [] : [`PARTUUID=${id}`]),
  ];
}
