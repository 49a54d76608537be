import type { CableKind } from "./link/pace.ts";

/** What the command line of the benchmarks says; undefined means the benchmark's own default. */
export interface BenchOptions {
  readonly json: boolean;
  /** Rounds; the figures are medians. */
  readonly runs: number | undefined;
  /** Rounds of tools that are slow. */
  readonly slowRuns: number | undefined;
  /** Round-trip times, in milliseconds. */
  readonly rtts: readonly number[] | undefined;
  /** What cables are like beside their round-trip time. */
  readonly cable: Omit<CableKind, "rttMs">;
  /** Names of tools. */
  readonly tools: readonly string[] | undefined;
  /** Name of the lab that is brought up, and removed at the end. */
  readonly lab: string;
}
