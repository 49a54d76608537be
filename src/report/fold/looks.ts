import { type Foldable, Grouped, namelessAndWhole } from "./alike.ts";

/** Hosts with the same result. */
export interface Group {
  readonly key: string;
  /** The result of the first host. */
  readonly event: Foldable;
  readonly hosts: string[];
  /** The longest duration of the task on any of these hosts, in milliseconds. */
  longestMs: number;
  /** True if the results differ only in the host name. */
  readonly isByName: boolean;
}

/** A change whose text has more characters than this is not rendered for comparison. */
const longestText = 64 * 1024;

/** Merges groups that look the same apart from host names; the largest groups come first. */
export function mergeLooks(groups: readonly Group[], look: (event: Foldable) => string): Group[] {
  if (groups.length < 2) return [...groups];
  const merged = new Grouped<Merged>();
  const all: Merged[] = [];
  for (const group of groups) {
    const whole = isLong(group.event) ? group.key : look(group.event);
    const keys = isLong(group.event) ? [whole] : namelessAndWhole(whole, group.event.host);
    const known = merged.find(keys);
    if (known === undefined) {
      const first = { group: { ...group, hosts: [...group.hosts] }, whole };
      all.push(first);
      merged.add(keys, first);
      continue;
    }
    merged.add(keys, known);
    const isByName = known.group.isByName || known.whole !== whole;
    known.group.hosts.push(...group.hosts);
    const longestMs = Math.max(known.group.longestMs, group.longestMs);
    known.group = { ...known.group, longestMs, isByName };
  }
  return all.map(({ group }) => group).toSorted((a, b) => b.hosts.length - a.hosts.length);
}

/** A group, and everything that is shown for its first host. */
interface Merged {
  group: Group;
  readonly whole: string;
}

function isLong(event: Foldable): boolean {
  const changes = event.type === "taskFinished" ? event.changes : [];
  return changes.some(({ differences }) =>
    differences.some(({ from, to }) => [from, to].some((part) => lengthOf(part) > longestText)),
  );
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + lengthOf(part), 0);
}
