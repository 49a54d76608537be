import type { FrameItem } from "../../core/host/frame.ts";
import { keptOutputBytes } from "../../core/host/step.ts";

/**
 * Limits on what a host may send. A host that exceeds them fails with E_PROTOCOL, so a malicious or broken host cannot
 * use unlimited memory or time.
 */

/**
 * Maximum size of one output record, in bytes. `_fe` never sends more, and a shell without a journal sends at most 64
 * KiB.
 */
export const outputRecordBytes: number = keptOutputBytes;

/**
 * Maximum size, in bytes, of all answers to one frame, and therefore of one line. This is enough for 36 MB of text in
 * base64, or for 300,000 facts about one file each. Several such answers fit into the 300 MB of memory that a run may
 * use.
 */
export const answerBytes: number = 48 * 1024 * 1024;

/** Maximum bytes of records, and of noise between them (a login banner, messages of fact readers), for one frame. */
export const noiseBytes: number = 1024 * 1024;

/**
 * Additional bytes beyond `noiseBytes` for each item and step: each has at most four records of fewer than 100 bytes.
 */
const recordBytes = 512;

/** Default limit on the size of a fetched file, in bytes, so that a host cannot fill the controller's disk. */
export const fetchBytes: number = 4 * 1024 * 1024 * 1024;

/**
 * How many times in a row furrow may send a frame, or ask the host about it, without getting any answer. An unstable
 * link needs about a hundred attempts in the five minutes for which furrow retries.
 */
export const fruitlessMoves = 120;

/** Bytes of records and noise allowed in an answer to these items. */
export function noiseLimit(items: readonly FrameItem[]): number {
  const steps = items.map((item) => (item.item === "steps" ? item.steps.length : 0)).reduce((a, b) => a + b, 0);
  return noiseBytes + (items.length + steps) * recordBytes;
}

/** Seconds from the first Ctrl-C until furrow leaves a host that cannot be told to stop or does not answer. */
export const untoldSeconds = 15;

/** The notice about a host that furrow leaves: it cannot be told to stop, or does not answer. */
export const leftSilent =
  "furrow no longer waits for it: its connection is lost or silent, and its task may still be running there";

/** Seconds without a heartbeat from its controller after which a run loses its host. */
export const leaseSeconds = 300;

/** A guard contains only the hash of a line that is longer than this many bytes. */
export const longLineBytes = 400;
