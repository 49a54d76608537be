/** Median, least and most of some milliseconds, rounded. */
export interface Timing {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The median of some numbers; of an even count the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Median, least and most of some milliseconds. */
export function spread(values: readonly number[]): Timing {
  return {
    median: Math.round(median(values)),
    min: Math.round(Math.min(...values)),
    max: Math.round(Math.max(...values)),
  };
}
