import type { EventSink } from "../core/events.ts";

/** Shows a run: takes its events in order and finishes its output on `close`. */
export interface Report {
  readonly handle: EventSink;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Writes the text of a report: whole lines, each with its newline. */
export type Write = (text: string) => void;

/** Options of the human-readable reports. */
export interface ReportOptions {
  readonly write: Write;
  /** Colours on or off. */
  readonly color: boolean;
  /** Show unified diffs of texts instead of line counts. */
  readonly diff: boolean;
  /** Also show unchanged tasks, each step, and step output. */
  readonly verbose: boolean;
  /** Show equal results of several hosts once. Has no effect with `verbose`. */
  readonly fold: boolean;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
}
