import type { Passed } from "../link/delay-proxy.ts";
import type { ScaleFigures, StartFigures } from "./own-figures.ts";

/** Runs of one tool at one workload and one round-trip time. */
export interface Cell {
  readonly workload: string;
  readonly tool: string;
  readonly rttMs: number;
  /** One figure a round, in order; a tool that is slow has fewer than others. Milliseconds. */
  readonly wallMs: readonly number[];
  /** CPU time of the controller: all processes of the tool. */
  readonly cpuMs: readonly number[];
  /** CPU time of all hosts together. */
  readonly hostCpuMs: readonly number[];
  /** The machine's load average when the cell was done. */
  readonly load: number;
  /** The invocation it was taken in: ratios are made only within one. */
  readonly series: string;
}

/** What one run of a tool needs that does not depend on how far its hosts are. */
export interface Look extends Omit<Passed, "roundTrips"> {
  readonly workload: string;
  readonly tool: string;
  /** Of the tool's whole process group on the controller. */
  readonly peakBytes: number;
  /** Session channels that the hosts' sshds opened. */
  readonly sessions: number;
  /** How many round trips a run waits for, counted by the proxy, opening connections included; not of tools that are slow. */
  readonly roundTrips?: number;
  readonly series: string;
}

/** What is known of a tool at a workload beside figures. */
export interface Remark {
  readonly workload: string;
  readonly tool: string;
  readonly text: string;
}

/** All figures that were ever taken and not taken again. */
export interface Figures {
  /** What they were taken on and with. */
  readonly machine: Readonly<Record<string, string>>;
  /** Round trips as they really were, in milliseconds, by what they were meant to be. */
  readonly rttMs: Readonly<Record<string, number>>;
  readonly cells: readonly Cell[];
  readonly looks: readonly Look[];
  readonly remarks: readonly Remark[];
  readonly start?: StartFigures;
  readonly scale?: ScaleFigures;
}

/** New figures laid over old ones: what was taken again replaces what it was. */
export function merged(old: Figures, taken: Figures): Figures {
  const place = ({ workload, tool }: Remark | Look | Cell): string => `${workload} ${tool}`;
  const cell = (it: Cell): string => `${place(it)} ${it.rttMs}`;
  const looks = new Set(taken.looks.map(place));
  const again = new Set([...taken.looks, ...taken.remarks].map(place));
  const cells = new Set(taken.cells.map(cell));
  const { start = old.start, scale = old.scale } = taken;
  // Named one by one: what is kept is committed, and nothing else that a measurement holds belongs there.
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
