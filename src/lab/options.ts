import { FurrowError } from "../core/errors.ts";
import { defaultDiskSizeBytes } from "./machine/disks.ts";
import { labStateDir } from "./places.ts";
import type { OnProgress } from "./progress.ts";

/** The options of a new lab. */
export interface LabOptions {
  /** The number of hosts, 1 to 50; they are named `<name>-1`, `<name>-2`, … */
  readonly hosts: number;
  /** The lab's name; default `lab`. Labs with different names can run at the same time. */
  readonly name?: string;
  /**
   * Use the image with libvirt and QEMU installed. A host created from the plain image can also install and run them.
   */
  readonly libvirt?: boolean;
  /** The number of data disks for each host; default 0. */
  readonly disks?: number;
  /** The size of each data disk, in bytes; default 8 GiB, sparse. */
  readonly diskSizeBytes?: number;
  /**
   * Remove a running lab with the same name first; without this option, such a lab is an error. An incomplete lab is
   * always removed.
   */
  readonly replace?: boolean;
  /** The folder for images and labs; default: see `labStateDir`. */
  readonly stateDir?: string;
  readonly onProgress?: OnProgress;
}

/**
 * Fills in all defaults.
 *
 * @throws FurrowError E_LAB if a value is invalid
 */
export function completeOptions(options: LabOptions): Required<LabOptions> {
  const complete = {
    name: "lab",
    libvirt: false,
    disks: 0,
    diskSizeBytes: defaultDiskSizeBytes,
    replace: false,
    stateDir: labStateDir(),
    onProgress: () => undefined,
    ...options,
  };
  requireLabName(complete.name);
  if (!isWhole(complete.hosts, 1, 50))
    throw refused("number of hosts", `${complete.hosts}`, "a whole number from 1 to 50");
  if (!isWhole(complete.disks, 0, 20))
    throw refused("number of disks", `${complete.disks}`, "a whole number from 0 to 20");
  if (!isWhole(complete.diskSizeBytes, 2 ** 20, 2 ** 44) || complete.diskSizeBytes % 512 !== 0) {
    throw refused("disk size", `${complete.diskSizeBytes} bytes`, "1 MiB to 16 TiB, in whole sectors of 512 bytes");
  }
  return complete;
}

/** The names that a lab can have. */
export const labName = /^[a-z][a-z0-9-]{0,23}$/;

/**
 * Refuses a name that no lab can have, such as a path to another directory.
 *
 * @throws FurrowError E_LAB
 */
export function requireLabName(name: string): void {
  if (labName.test(name)) return;
  throw refused(
    "name",
    `"${name}"`,
    "a lower-case letter, then up to 23 letters, digits and hyphens: the hosts are named after the lab",
  );
}

function isWhole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}

function refused(what: string, current: string, expected: string): FurrowError {
  return new FurrowError("E_LAB", {
    what: `a lab cannot have this ${what}`,
    current,
    expected,
    hint: `Choose another ${what}`,
  });
}
