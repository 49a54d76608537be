import { type Foldable, Grouped, namelessAndWhole } from "./alike.ts";
import { bySize, type Group } from "./group.ts";

/** Up to this many groups that look like a larger one stay separate, because their hosts are exceptions. */
const mostExceptions = 3;

/**
 * Merges groups that differ only in diffs that are not shown. A few such groups stay separate, because they show which
 * hosts differ from the others. `canMerge` is false for groups that stay as they are.
 */
export function mergeTwins(
  groups: readonly Group[],
  shown: (event: Foldable) => string,
  canMerge: (group: Group) => boolean,
): Group[] {
  if (groups.filter(canMerge).length < 2) return [...groups];
  const twins = new Grouped<Group[]>();
  const all: Group[][] = [];
  for (const group of groups) {
    const keys = canMerge(group) ? namelessAndWhole(shown(group.event), group.event.host) : [group.key];
    let alike = twins.find(keys);
    if (alike === undefined) all.push((alike = []));
    alike.push(group);
    twins.add(keys, alike);
  }
  return bySize(all.flatMap((alike) => mergeAlike(alike, shown)));
}

function mergeAlike(alike: readonly Group[], shown: (event: Foldable) => string): Group[] {
  const [largest, second] = bySize(alike);
  const hasUsual = largest !== undefined && second !== undefined && largest.all.length > second.all.length;
  const rest = alike.filter((group) => !hasUsual || group !== largest);
  const areExceptions = hasUsual || rest.some(({ all }) => all.length > 1);
  const [first] = rest;
  if (first === undefined || rest.length <= (areExceptions ? mostExceptions : 1)) return [...alike];
  const look = shown(first.event);
  const isByName = rest.some((group) => group.isByName || shown(group.event) !== look);
  const merged = { ...first, all: rest.flatMap(({ all }) => all), isByName, isByDiff: true };
  return hasUsual ? [largest, merged] : [merged];
}
