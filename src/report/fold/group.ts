import type { Foldable } from "./alike.ts";
import type { Arrivals } from "./order.ts";

/** An event that is held back, and its number among all events. */
export interface Held {
  readonly event: Foldable;
  readonly arrival: number;
}

/** Hosts with the same result. */
export interface Group {
  readonly key: string;
  /** The result of the first host, which represents all hosts of the group. */
  readonly event: Foldable;
  /** The results of all hosts. */
  readonly all: readonly Held[];
  /** True if the results differ only in the host name. */
  readonly isByName: boolean;
  /** True if the results look the same but their full diffs differ. */
  readonly isByDiff: boolean;
}

/** The hosts of a group. A host that had the same event twice is listed once. */
export function hostsOf({ all }: Group): readonly string[] {
  return [...new Set(all.map(({ event }) => event.host))];
}

/** The longest duration of the task on any host of a group, in milliseconds. */
export function longestMsOf({ all }: Group): number {
  return Math.max(...all.map(({ event }) => (event.type === "taskFinished" ? event.durationMs : 0)));
}

/** Sorts groups by size; the largest come first. */
export function bySize(groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => b.all.length - a.all.length);
}

/** Returns, for each host, the number of the first of these events. */
export function arrivalsOf(all: readonly Held[]): Arrivals {
  const first = new Map<string, number>();
  for (const { event, arrival } of all) {
    first.set(event.host, Math.min(arrival, first.get(event.host) ?? Number.POSITIVE_INFINITY));
  }
  return first;
}
