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
