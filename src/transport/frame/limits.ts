import type { FrameItem } from "../../core/host/frame.ts";
import { keptOutputBytes } from "../../core/host/step.ts";

/**
 * What a host may send at most. Beyond these limits the run of that host ends with E_PROTOCOL: a host that lies or is
 * broken costs neither memory nor time without end.
 */

/** Bytes of one record of output: `_fe` sends no more, and the variables of a shell without a journal 64 KiB at most. */
export const outputRecordBytes: number = keptOutputBytes;

/**
 * Bytes of all answers to one frame, and so of one line: the base64 of 36 MB of text, or 300,000 facts of a file each.
 * More than a few of them fit into the 300 MB that a run may take.
 */
export const answerBytes: number = 48 * 1024 * 1024;

/** Bytes of records and of noise between them that each frame may have: a login banner, messages of fact readers. */
export const noiseBytes: number = 1024 * 1024;

/** Bytes of records beside `noiseBytes` for each item and step: each has four records of less than 100 bytes at most. */
const recordBytes = 512;

/** Bytes of a file that is fetched, where its step does not say: nobody fills the disk of the controller. */
export const fetchBytes: number = 4 * 1024 * 1024 * 1024;

/**
 * How often in a row a frame may be sent or asked after without an answer to any of it. A link that comes and goes needs
 * about a hundred in the five minutes for which it is tried.
 */
export const fruitlessMoves = 120;

/** Bytes of records and noise that an answer to these items may have. */
export function noiseLimit(items: readonly FrameItem[]): number {
  const steps = items.map((item) => (item.item === "steps" ? item.steps.length : 0)).reduce((a, b) => a + b, 0);
  return noiseBytes + (items.length + steps) * recordBytes;
}

/** Seconds from the first Ctrl-C until a host that cannot be told to stop, or does not answer, is left. */
export const untoldSeconds = 15;

/** What is said of such a host. */
export const leftSilent = "left without waiting: its connection is lost or silent, and its task may still run there";

/** Seconds without a sign from its controller after which a run has lost its host. */
export const leaseSeconds = 300;

/** Bytes of a line beyond which a guard names it by its hash. */
export const longLineBytes = 400;
