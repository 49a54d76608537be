/** More lines than this on either side are not compared one by one: that takes time with their product. */
const mostLines = 4000;

/** Two texts without the lines that they begin and end with in common, but for `context` lines; linear in their length. */
export interface ChangedPart {
  readonly from: string;
  readonly to: string;
  /** How many lines were left out above. */
  readonly above: number;
  /** True where so much differs that it is told by numbers alone. */
  readonly tooMuch: boolean;
  readonly removed: number;
  readonly added: number;
}

/** The part of two texts in which they differ. */
export function changedPart(from: string, to: string, context: number): ChangedPart {
  const [old, now] = [from.split(/(?<=\n)/), to.split(/(?<=\n)/)];
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
