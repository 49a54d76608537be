import { UnknownValue } from "./compare.ts";
import type { WatchedThing } from "./watched.ts";

/** What a running process has seen of the things it watches: by fact id, a digest of each part. */
export type Seen = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What is known about what a process has seen. The host keeps notes about this. */
export interface Witness {
  /** The note for this process. */
  readonly seen: Seen;
  /** The note for the previous process of the same service. */
  readonly earlier: Seen;
  /** When this process began to start, in microseconds since the epoch. */
  readonly since: number;
}

/** Kernel clocks tick every few milliseconds, so a file's time may be slightly before the moment it was written. */
const tickMicroseconds = 50_000;

/** What to note once a process has seen these things. */
export function seenOf(things: readonly WatchedThing[]): Seen {
  const seen: Record<string, Record<string, string>> = {};
  for (const { id, parts } of things) seen[id] = { ...seen[id], ...parts };
  return seen;
}

/**
 * True if the process has not seen the current state of some thing. That is so if a part differs from the note for this
 * process. Without a comparable note, it is so if the thing has changed since the process began, or if the time of its
 * change is unknown. Throws UnknownValue if the answer depends on an unknown part.
 */
export function isOutdated(things: readonly WatchedThing[], record: Witness): boolean {
  if (things.some((thing) => outdated(thing, record))) return true;
  const open = things.find((thing) => thing.open);
  if (open) throw new UnknownValue(open.id);
  return false;
}

function outdated(thing: WatchedThing, witness: Witness): boolean {
  const { id, parts, open } = thing;
  const { seen, earlier } = witness;
  const noted = Object.entries(parts).map(([part, digest]) => compare(seen[id]?.[part], digest));
  if (noted.includes("differs")) return true;
  if (!noted.includes("unknown")) return false;
  // Read only if it is needed: a forecast may not know it.
  const { changed } = thing;
  if (changed !== undefined) return changed > witness.since - tickMicroseconds;
  // The time of its change is unknown. If it is as noted for the previous process, this process started later and has
  // seen it.
  return !open && Object.entries(parts).some(([part, digest]) => compare(earlier[id]?.[part], digest) !== "same");
}

function compare(noted: string | undefined, digest: string): "same" | "differs" | "unknown" {
  if (noted === undefined || keyOf(noted) !== keyOf(digest)) return "unknown";
  return noted === digest ? "same" : "differs";
}

/** Digests of secrets begin with the id of their key: those made with another controller's key cannot be compared. */
function keyOf(digest: string): string {
  return digest.includes(":") ? digest.slice(0, digest.indexOf(":")) : "";
}
