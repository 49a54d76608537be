import type { Spread } from "../measure/statistics.ts";

/** The results of the `scale` benchmark; times are CPU times on the controller unless the name says wall time. */
export interface ScaleFigures {
  readonly benchmark: "scale";
  readonly runs: number;
  readonly load: number;
  readonly cpuMsPerHostTask: Spread;
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly wallMs: Readonly<Record<string, number>>;
  readonly cpuMsPerConnection: Spread;
  readonly kibibytesPerConnection: number;
  readonly peakMebibytes: Readonly<Record<string, number>>;
}

/** The results of the `start` benchmark. */
export interface StartFigures {
  readonly benchmark: "start";
  readonly runs: number;
  readonly load: number;
  readonly rows: readonly StartRow[];
}

/** One program compared with its reference. */
export interface StartRow {
  readonly what: string;
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
  readonly beside: string;
  readonly besideMs: Spread;
  /** Median ratio over all pairs; undefined for a single pair. */
  readonly ratio: number | undefined;
}
