import type { EventSink } from "../core/events.ts";

/** One way to show a run: takes its events in order, and finishes its output when closed. */
export interface Report {
  readonly handle: EventSink;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Where a report writes; whole lines, each with its newline. */
export type Write = (text: string) => void;

/** What all reports for people have in common. */
export interface ReportOptions {
  readonly write: Write;
  /** Colours on or off. */
  readonly color: boolean;
  /** Unified diffs of texts instead of counts of lines. */
  readonly diff: boolean;
  /** Also what was right, each step, and the output of steps. */
  readonly verbose: boolean;
  /** Equal results of several hosts are told of once; with `verbose` they never are. */
  readonly fold: boolean;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
}
