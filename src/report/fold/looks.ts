import { type Foldable, Grouped, namelessAndWhole } from "./alike.ts";
import { bySize, type Group } from "./group.ts";
import { mergeTwins } from "./twins.ts";

/** How events are compared. */
export interface Looks {
  /** Returns everything that could be shown for an event, with full diffs but without the host at the beginning. */
  readonly full: (event: Foldable) => string;
  /** Returns what is shown for an event with the report's options. */
  readonly shown: (event: Foldable) => string;
}

/** A change whose text has more characters than this is not rendered for comparison. */
const longestText = 64 * 1024;

/** Merges groups that look the same apart from host names; the largest groups come first. */
export function mergeLooks(groups: readonly Group[], { full, shown }: Looks): Group[] {
  return mergeTwins(mergeFull(groups, full), shown, isQuiet);
}

function mergeFull(groups: readonly Group[], look: (event: Foldable) => string): Group[] {
  if (groups.length < 2) return [...groups];
  const merged = new Grouped<Merged>();
  const all: Merged[] = [];
  for (const group of groups) {
    const whole = isLong(group.event) ? group.key : look(group.event);
    const keys = isLong(group.event) ? [whole] : namelessAndWhole(whole, group.event.host);
    const known = merged.find(keys);
    if (known === undefined) {
      const first = { group, whole };
      all.push(first);
      merged.add(keys, first);
      continue;
    }
    merged.add(keys, known);
    const isByName = known.group.isByName || known.whole !== whole;
    known.group = { ...known.group, all: [...known.group.all, ...group.all], isByName };
  }
  return bySize(all.map(({ group }) => group));
}

/** A group, and everything that is shown for its first host. */
interface Merged {
  group: Group;
  readonly whole: string;
}

function isQuiet({ event }: Group): boolean {
  return event.type === "taskFinished" && event.error === undefined && !isLong(event);
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
