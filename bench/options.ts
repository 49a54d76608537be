import type { CableKind } from "./link/pace.ts";

/** The benchmarks' command line; undefined means the benchmark's own default. */
export interface BenchOptions {
  readonly json: boolean;
  /** Number of rounds; the figures are medians. */
  readonly runs: number | undefined;
  /** Number of rounds for slow tools. */
  readonly slowRuns: number | undefined;
  /** Round-trip times, in milliseconds. */
  readonly rtts: readonly number[] | undefined;
  /** Properties of cables besides their round-trip time. */
  readonly cable: Omit<CableKind, "rttMs">;
  /** Names of tools. */
  readonly tools: readonly string[] | undefined;
  /** Name of the lab, which the benchmark starts at the beginning and removes at the end. */
  readonly lab: string;
}
