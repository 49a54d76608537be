import type { Passed } from "../link/delay-proxy.ts";
import type { ScaleFigures, StartFigures } from "./own-figures.ts";

/** The runs of one tool on one workload at one round-trip time. */
export interface Cell {
  readonly workload: string;
  readonly tool: string;
  readonly rttMs: number;
  /** One figure per round, in order, in milliseconds; a slow tool has fewer rounds than the others. */
  readonly wallMs: readonly number[];
  /** CPU time of all the tool's processes on the controller. */
  readonly cpuMs: readonly number[];
  /** CPU time of all hosts together. */
  readonly hostCpuMs: readonly number[];
  /** The machine's load average when the last of these runs ended. */
  readonly load: number;
  /** The invocation of the benchmark that produced these figures: ratios are computed only within one invocation. */
  readonly series: string;
}

/** The part of a run's cost that does not depend on the distance to the hosts. */
export interface Look extends Omit<Passed, "roundTrips"> {
  readonly workload: string;
  readonly tool: string;
  /** Memory of the tool's whole process group on the controller. */
  readonly peakBytes: number;
  /** Session channels that the hosts' sshds opened. */
  readonly sessions: number;
  /**
   * Number of round trips that a run waits for, as counted by the proxy, including those for connecting. Undefined for
   * slow tools.
   */
  readonly roundTrips?: number;
  readonly series: string;
}

/** A remark about how a tool handled a workload. */
export interface Remark {
  readonly workload: string;
  readonly tool: string;
  readonly text: string;
}

/** All current figures: those that were measured and not replaced since. */
export interface Figures {
  /** The machine and the program versions that were measured. */
  readonly machine: Readonly<Record<string, string>>;
  /** Actual round-trip times in milliseconds, keyed by their nominal values. */
  readonly rttMs: Readonly<Record<string, number>>;
  readonly cells: readonly Cell[];
  readonly looks: readonly Look[];
  readonly remarks: readonly Remark[];
  readonly start?: StartFigures;
  readonly scale?: ScaleFigures;
}

/** Merges new figures into old ones: repeated measurements replace the old results. */
export function merged(old: Figures, taken: Figures): Figures {
  const place = ({ workload, tool }: Remark | Look | Cell): string => `${workload} ${tool}`;
  const cell = (it: Cell): string => `${place(it)} ${it.rttMs}`;
  const looks = new Set(taken.looks.map(place));
  const again = new Set([...taken.looks, ...taken.remarks].map(place));
  const cells = new Set(taken.cells.map(cell));
  const { start = old.start, scale = old.scale } = taken;
  // Fields are listed one by one, because the file is committed and nothing else from a measurement belongs in it.
  return {
    ...(start && { start }),
    ...(scale && { scale }),
    machine: { ...old.machine, ...taken.machine },
    rttMs: { ...old.rttMs, ...taken.rttMs },
    cells: [...old.cells.filter((it) => !cells.has(cell(it))), ...taken.cells],
    looks: [...old.looks.filter((it) => !looks.has(place(it))), ...taken.looks],
    remarks: [...old.remarks.filter((it) => !again.has(place(it))), ...taken.remarks],
  };
}
