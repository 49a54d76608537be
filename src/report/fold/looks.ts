import { type Foldable, withoutName } from "./alike.ts";

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
  const merged = new Map<string, Group>();
  for (const group of groups) {
    const key = isLong(group.event) ? group.key : withoutName(look(group.event), group.event.host);
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, { ...group, hosts: [...group.hosts] });
      continue;
    }
    const isByName = known.isByName || look(known.event) !== look(group.event);
    known.hosts.push(...group.hosts);
    const longestMs = Math.max(known.longestMs, group.longestMs);
    merged.set(key, { ...known, longestMs, isByName });
  }
  return [...merged.values()].toSorted((a, b) => b.hosts.length - a.hosts.length);
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
