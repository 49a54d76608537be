import type { Absent, BlockDevice, DiskEntry, MountState, Program, KnownAfterApply } from "../../src/authoring.ts";
import type { BlockLayout, DiskContent } from "../../src/facts/catalogue.ts";
import type { FileSystem } from "./marks.ts";

/** A disk with all facts read about it. */
export type Disk = BlockDevice & BlockLayout;

/** The params that decide what may be done with a disk. */
export interface Request {
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: FileSystem;
  readonly minimumSizeBytes?: number | undefined;
  readonly wipe?: { readonly serial: string } | undefined;
}

/** The file system that is, or will be, mounted. */
export interface Target {
  /** Partition number; empty for a file system on the whole disk. */
  readonly number: string;
  /** The kernel's device node. */
  readonly path: string;
  readonly uuid: string;
}

/**
 * How the disk gets to its file system. `adopt`: the file system exists. `partition`: the disk is blank, or holds part
 * of furrow's own table. `format`: furrow's partition is marked as unfinished. `finish`: only the final partition name
 * is missing. `wipe`: the content is destroyed first, as asked.
 */
export interface Plan {
  readonly act: "adopt" | "partition" | "format" | "finish" | "wipe";
  readonly target: Target;
}

/** What else is known if the disk is not already as wanted. */
export interface Surroundings {
  readonly mount: MountState;
  readonly fstab: string;
  readonly disks?: readonly DiskEntry[];
}

/** What a blank disk and its tools look like; read only if there is no file system to adopt. */
export interface Blankness {
  readonly content: Absent | DiskContent;
  /** The device that has the UUID the new file system would get. */
  readonly twin: Absent | BlockDevice;
  readonly mkfs: Absent | KnownAfterApply | Program | undefined;
}

/** All ways in which fstab may name a volume of the disk. */
export function namesOf({ device }: Request, target: Target, label: string, id: string): readonly string[] {
  return [
    `UUID=${target.uuid}`,
    target.path,
    ...(target.number === "" ? [device] : [`${device}-part${target.number}`]),
    ...(label === "" ? [] : [`LABEL=${label}`]),
    ...(id === "" ? [] : [`PARTUUID=${id}`]),
  ];
}
