import type { EventSink } from "../core/events.ts";

/** Shows a run: receives its events in order, and finishes its output on `close`. */
export interface Report {
  readonly handle: EventSink;
  /** Resolves when everything has been written. */
  close(): Promise<void>;
}

/** Writes report text: whole lines, each with its newline. */
export type Write = (text: string) => void;

/** The options of human-readable reports. */
export interface ReportOptions {
  readonly write: Write;
  /** Whether to use colors. */
  readonly color: boolean;
  /** Whether to show a unified diff of changed text instead of line counts. */
  readonly diff: boolean;
  /** Whether to also show unchanged tasks, each step, and step output. */
  readonly verbose: boolean;
  /** Whether to show equal results of several hosts only once. Has no effect with `verbose`. */
  readonly fold: boolean;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
  /** The width of the terminal, which may change; undefined for a pipe or a file. */
  readonly columns?: () => number;
}
