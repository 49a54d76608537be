import { UnknownValue } from "./compare.ts";
import type { WatchedThing } from "./watched.ts";

/** What a running process has seen of the things it watches: by fact id, the digest of each part. */
export type Seen = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What is known about what a process has seen. */
export interface Witness {
  /** Noted for this very process. */
  readonly seen: Seen;
  /** Noted for the process before it. */
  readonly earlier: Seen;
  /** When this process began to start, in microseconds since the epoch. */
  readonly since: number;
}

/** Kernel clocks tick every few milliseconds, so a file may carry a time a little before the moment it was written. */
const tickMicroseconds = 50_000;

/** What to note once a process has seen these things. */
export function seenOf(things: readonly WatchedThing[]): Seen {
  const seen: Record<string, Record<string, string>> = {};
  for (const { id, parts } of things) seen[id] = { ...seen[id], ...parts };
  return seen;
}

/**
 * True where the process has not seen some thing as it is now: a part differs from what was noted for this process; or
 * nothing comparable was noted, and the thing has changed since the process began, or nothing tells when it changed.
 * Throws UnknownValue where that depends on a part that is not knowable yet.
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
  // Looked at only where it is needed: a plan may not know it.
  const { changed } = thing;
  if (changed !== undefined) return changed > witness.since - tickMicroseconds;
  // Nothing tells when it changed. Still as noted for the process before: this one started after that and has seen it.
  return !open && Object.entries(parts).some(([part, digest]) => compare(earlier[id]?.[part], digest) !== "same");
}

function compare(noted: string | undefined, digest: string): "same" | "differs" | "unknown" {
  if (noted === undefined || keyOf(noted) !== keyOf(digest)) return "unknown";
  return noted === digest ? "same" : "differs";
}

/** Digests of secrets begin with the name of their key: those of another controller cannot be compared. */
function keyOf(digest: string): string {
  return digest.includes(":") ? digest.slice(0, digest.indexOf(":")) : "";
}
