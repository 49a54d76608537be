import { loadavg } from "node:os";
import { type Measured, measuredWell, type Program } from "./program.ts";

/** All runs of several programs, keyed by program name. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly Measured[]>>;

/**
 * Runs programs in turn, each once per round, with the order reversed in every second round, so that disturbances on
 * the machine affect all of them and the figures of one round form a pair. An extra first round warms the caches and is
 * not counted.
 */
export async function inTurns<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  rounds: number,
): Promise<Rounds<Name>> {
  const names = Object.keys(programs) as Name[];
  const runs = Object.fromEntries(names.map((name): [Name, Measured[]] => [name, []])) as Record<Name, Measured[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const run = await measuredWell(programs[name]);
      if (round > 0) runs[name].push(run);
    }
  }
  return runs;
}

/** The figure to compare between runs. */
export type Figure = "wallMs" | "cpuMs" | "peakBytes";

/** The figure of one program divided by that of another, for each round. */
export function ratios(over: readonly Measured[], under: readonly Measured[], figure: Figure = "wallMs"): number[] {
  return over.map((run, round) => run[figure] / (under[round]?.[figure] ?? Number.NaN));
}

/** The machine's load average over the last minute. */
export function load(): number {
  return Number((loadavg()[0] ?? 0).toFixed(1));
}
