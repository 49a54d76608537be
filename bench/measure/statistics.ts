/** The median of some numbers, with their spread. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The median of some numbers; for an even count, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * The median ratio over all rounds, except those in which one figure is missing (NaN). Undefined if only one round
 * remains, because a single pair of runs says more about the machine than about the programs.
 */
export function ratioOfRounds(ratios: readonly number[]): number | undefined {
  const known = ratios.filter(Number.isFinite);
  return known.length < 2 ? undefined : median(known);
}

/** Median, minimum and maximum of some numbers, rounded. */
export function spread(values: readonly number[], digits = 0): Spread {
  const rounded = (value: number): number => Number(value.toFixed(digits));
  return {
    median: rounded(median(values)),
    min: rounded(Math.min(...values)),
    max: rounded(Math.max(...values)),
  };
}

/** The slope of the least-squares line through the points: how steeply y rises with x. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const above = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return above / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}
