/**
 * Texts with more changed lines than this on either side are not compared, because the time grows with the product of
 * both counts.
 */
const mostLines = 4000;

/**
 * The part in which two texts differ: both texts without the lines that they share at the beginning and at the end,
 * except for up to `context` of these lines on each side.
 */
export interface ChangedPart {
  readonly from: string;
  readonly to: string;
  /** The number of lines left out above this part. */
  readonly above: number;
  /** True if so many lines differ that only their number is shown. */
  readonly tooMuch: boolean;
  readonly removed: number;
  readonly added: number;
}

/** Finds the part in which two texts differ, in time linear in their length. */
export function changedPart(from: string, to: string, context: number): ChangedPart {
  const [old, now] = [linesOf(from), linesOf(to)];
  const least = Math.min(old.length, now.length);
  let first = 0;
  while (first < least && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < least - first && old[old.length - 1 - last] === now[now.length - 1 - last]) last += 1;
  const [removed, added] = [old.length - first - last, now.length - first - last];
  const above = Math.max(0, first - context);
  const below = Math.max(0, last - context);
  return {
    from: old.slice(above, old.length - below).join(""),
    to: now.slice(above, now.length - below).join(""),
    above,
    tooMuch: Math.max(removed, added) > mostLines,
    removed,
    added,
  };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}
