/** The position of the first task of a play. */
export const first = "0";
/** The position after all tasks of a play. */
export const last = "always";

/**
 * Compares two task ids by position in the play: `1.9` before `1.10`, and the tasks of a group before its `rescue`
 * tasks, which come before its `always` tasks. The empty id is the position before all tasks.
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
