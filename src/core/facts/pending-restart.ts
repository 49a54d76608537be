import { UnknownValue } from "./compare.ts";
import type { WatchedThing } from "./watched.ts";

/** The state of the watched things as a running process has seen it: a digest of each part, by fact id. */
export type Seen = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The information about the state that a process has seen, from notes on the host. */
export interface ProcessNotes {
  /** The note about this process. */
  readonly seen: Seen;
  /** The note about the previous process of the same service. */
  readonly earlier: Seen;
  /** The time at which this process started, in microseconds since the epoch. */
  readonly since: number;
  /**
   * For things that the process can read again: the time of the note about this process, in microseconds since the
   * epoch; 0 without a note. A thing that changed since then may have had a different state in between, and someone may
   * have made the process read that state.
   */
  readonly noted?: number;
}

/** Kernel clocks tick every few milliseconds, so a file's time may be slightly before the moment it was written. */
const tickMicroseconds = 50_000;

/** The note to store once a process has seen these things. */
export function seenOf(things: readonly WatchedThing[]): Seen {
  const seen: Record<string, Record<string, string>> = {};
  for (const { id, parts } of things) seen[id] = { ...seen[id], ...parts };
  return seen;
}

/**
 * True if the process has not seen the current state of one of the things. This is the case if a part differs from the
 * note about this process. Without a comparable note, it is the case if the thing has changed since the process
 * started, or if the time of its change is unknown. Throws UnknownValue if the answer depends on an unknown part.
 */
export function isOutdated(things: readonly WatchedThing[], notes: ProcessNotes): boolean {
  if (things.some((thing) => outdated(thing, notes))) return true;
  const open = things.find((thing) => thing.open);
  if (open) throw new UnknownValue(open.id);
  return false;
}

function outdated(thing: WatchedThing, notes: ProcessNotes): boolean {
  const { id, parts, open } = thing;
  const { seen, earlier } = notes;
  const noted = Object.entries(parts).map(([part, digest]) => compare(seen[id]?.[part], digest));
  if (noted.includes("differs")) return true;
  if (!noted.includes("unknown")) return isNewer(thing, notes);
  // `changed` is read only if needed, because a forecast might not know it.
  const { changed } = thing;
  if (changed !== undefined) return changed > notes.since - tickMicroseconds;
  // The time of the change is unknown. If the thing's state is the one noted for the previous process, this process
  // started after the change and has seen it.
  return !open && Object.entries(parts).some(([part, digest]) => compare(earlier[id]?.[part], digest) !== "same");
}

/** True if a thing was written after the note, although its state is still the same as in the note. */
function isNewer(thing: WatchedThing, { noted = 0 }: ProcessNotes): boolean {
  return noted > 0 && thing.changed !== undefined && thing.changed > noted;
}

/**
 * The note to store once a process has read these things again. If a thing was written again but still has the noted
 * state, the time of the previous note is added, so that the new note differs from it.
 */
export function seenAgain(things: readonly WatchedThing[], notes: ProcessNotes): Seen {
  const again = (thing: WatchedThing): boolean =>
    Object.entries(thing.parts).every(([part, digest]) => compare(notes.seen[thing.id]?.[part], digest) === "same") &&
    isNewer(thing, notes);
  return seenOf(
    things.map((thing) => (again(thing) ? { ...thing, parts: { ...thing.parts, noted: String(notes.noted) } } : thing)),
  );
}

function compare(noted: string | undefined, digest: string): "same" | "differs" | "unknown" {
  if (noted === undefined || keyOf(noted) !== keyOf(digest)) return "unknown";
  return noted === digest ? "same" : "differs";
}

/**
 * Digests of secrets begin with the id of their key, because digests made with different controllers' keys cannot be
 * compared.
 */
function keyOf(digest: string): string {
  return digest.includes(":") ? digest.slice(0, digest.indexOf(":")) : "";
}
