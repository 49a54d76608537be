/** The seed from which a torture test draws its points; every run prints it. FURROW_TORTURE_SEED sets it. */
export const tortureSeed: number = Number(process.env["FURROW_TORTURE_SEED"] ?? 20_261_121);

/**
 * Returns random integers from 0 up to, but not including, `limit`; the sequence depends only on the seed (mulberry32,
 * public domain).
 */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Shows how often each result occurred, as lines for the terminal. */
export function histogram(title: string, counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  return [title, ...rows.map(([name, count]) => `  ${name.padEnd(44)} ${"#".repeat(count)} ${count}`)].join("\n");
}

/** Whether tests cover everything instead of a sample: `npm run test:kube -- full`. */
export const isFull: boolean = process.env["FURROW_FULL"] === "1";

/**
 * How many points a torture test covers: FURROW_TORTURE_POINTS if it is set; otherwise, the full count in a full test,
 * or as many as fit into a run of all suites.
 */
export function torturePoints(usual: number, full = 50): number {
  return Number(process.env["FURROW_TORTURE_POINTS"] ?? (isFull ? full : usual));
}
