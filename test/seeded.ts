/** Where the points of a torture come from; printed with every run. FURROW_TORTURE_SEED takes other ones. */
export const tortureSeed: number = Number(process.env["FURROW_TORTURE_SEED"] ?? 20_261_121);

/** Whole numbers from 0 to below `limit`, always the same for one seed (mulberry32, public domain). */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** How often each thing happened, as lines for the terminal. */
export function histogram(title: string, counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  return [title, ...rows.map(([name, count]) => `  ${name.padEnd(44)} ${"#".repeat(count)} ${count}`)].join("\n");
}

/**
 * How many points a torture takes: FURROW_TORTURE_POINTS, else as many as there is time for whenever everything is run.
 * The full count is 50 of each kind.
 */
export function torturePoints(usual: number): number {
  return Number(process.env["FURROW_TORTURE_POINTS"] ?? usual);
}
