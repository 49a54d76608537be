/** The position of the first task in a play. */
export const first = "0";
/** The position after all tasks in a play. */
export const last = "always";

/**
 * Compares two task ids by their position in the play: `1.9` is before `1.10`; in a group, the tasks come first, then
 * the `rescue` tasks, then the `always` tasks. The empty id is the position before all tasks.
 */
export function comparePlaces(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = rank(left[at]) - rank(right[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(part: string | undefined): number {
  if (part === undefined || part === "") return -1;
  if (part === "rescue") return 1e9;
  return part === "always" ? 2e9 : Number(part);
}

/** For each host, the number of its first event in a group or step. */
export type Arrivals = ReadonlyMap<string, number>;

/** True if an event of `a` arrived before an event of `b` of the same host. */
export function isBefore(a: Arrivals, b: Arrivals): boolean {
  for (const host of (a.size <= b.size ? a : b).keys()) {
    const [own, other] = [a.get(host), b.get(host)];
    if (own !== undefined && other !== undefined && own < other) return true;
  }
  return false;
}

/**
 * Reorders steps or groups as little as possible so that the events of each host are in the order in which they
 * happened.
 */
export function inOrder<T>(things: readonly T[], arrivals: (thing: T) => Arrivals): T[] {
  const hosts = things.flatMap((thing) => [...arrivals(thing).keys()]);
  if (new Set(hosts).size === hosts.length) return [...things];
  const left = [...things];
  const ordered: T[] = [];
  while (left.length > 0) {
    const isFirst = (thing: T): boolean =>
      left.every((other) => other === thing || !isBefore(arrivals(other), arrivals(thing)));
    const at = Math.max(0, left.findIndex(isFirst));
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}
