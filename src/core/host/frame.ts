import type { Question } from "../facts/fact.ts";
import type { FurrowError } from "../errors.ts";
import type { Lines } from "../facts/kind.ts";
import type { LinkStats } from "./transport.ts";
import type { FetchStep, Step, StepResult } from "./step.ts";

/** Reads facts; answers are in the order of the questions. */
export interface ReadItem {
  readonly item: "read";
  readonly questions: readonly Question[];
  /** True for a final item that runs even if a guard ended the frame, but not if a step failed. */
  readonly always?: boolean;
}

/** Reads facts, and ends the frame if the answers are not the expected ones. */
export interface GuardItem {
  readonly item: "guard";
  readonly expected: readonly Expectation[];
}

/** A guard's expectation for one fact. */
export interface Expectation {
  readonly question: Question;
  /** The exact lines that the kind must print, except those that change by themselves. */
  readonly lines: Lines;
  /** Names of lines that may be present or absent, with any value; `*` for all lines of the fact. */
  readonly open?: readonly string[];
}

/** Performs the steps of one task, in order; a step that fails ends the frame. */
export interface StepsItem {
  readonly item: "steps";
  /** Identifies the task in output and in the journal. */
  readonly task: string;
  /** The task's human-readable title; default: `task`. */
  readonly title?: string;
  readonly steps: readonly Step[];
  /** Default for the steps' own `timeoutSeconds`. */
  readonly timeoutSeconds?: number;
}

/** One part of a frame. */
export type FrameItem = ReadItem | GuardItem | StepsItem;

/**
 * A batch of items that is sent to a host as a unit. Items run in order; the first failed step or guard ends the frame.
 */
export interface Frame {
  readonly items: readonly FrameItem[];
}

/** One answer: a value of the question's kind, or an error with the reason why it cannot be read. */
export type Answer = { readonly value: unknown } | { readonly error: FurrowError };

/** The result of one item; `skipped` if the frame had ended before it. */
export type ItemResult =
  | { readonly item: "read"; readonly answers: readonly Answer[] }
  /**
   * The answers are sent whether or not the guard held, because the values of its `open` lines are only in the answers.
   */
  | { readonly item: "guard"; readonly held: boolean; readonly answers: readonly Answer[] }
  | { readonly item: "steps"; readonly results: readonly StepResult[]; readonly failed?: StepFailure }
  | { readonly item: "skipped" };

/** The index of the step that failed, and its error. */
export interface StepFailure {
  readonly index: number;
  readonly error: FurrowError;
}

/** Output of a step while it runs. */
export interface StepOutput {
  readonly task: string;
  readonly step: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** Receives results, output and notices while a frame runs. */
export interface FrameListener {
  output(this: void, output: StepOutput): void;
  /**
   * Receives the result of an item, with the item's index, as soon as the result is complete. Not called for skipped
   * items.
   */
  item?(this: void, index: number, result: ItemResult): void;
  /**
   * Reports an event on the connection that the user should know about, such as a fallback. `back`: a lost connection
   * is restored. `held`: furrow waits until another run no longer holds the host.
   */
  notice?(this: void, text: string, connection?: "back" | "held"): void;
  /** Reports a lost connection that furrow is trying to restore; a notice with `back` follows once it is restored. */
  lost?(this: void, text: string): void;
}

/** Receives progress and notices while a file is copied from a host. */
export interface FetchListener extends Pick<FrameListener, "notice" | "lost"> {
  /** Receives, about twice a second, the number of bytes received so far and, if known, the total. */
  progress?(this: void, done: number, total?: number): void;
}

/** A listener that ignores everything. */
export const ignoreAll: FrameListener = { output: () => {} };

/**
 * An open connection to one host, which carries one frame at a time. `frame` rejects with E_UNREACHABLE if the
 * connection is lost.
 */
export interface Session {
  frame(frame: Frame, listener: FrameListener, signal: AbortSignal): Promise<readonly ItemResult[]>;
  /** Copies a file from the host to the controller. Throws FurrowError E_STEP or E_FILE. */
  fetch(step: FetchStep, signal: AbortSignal, listener?: FetchListener): Promise<void>;
  /** The user that steps run as. */
  readonly user: string;
  stats(): SessionStats;
  close(): Promise<void>;
}

/** A breakdown of the time of a session's frames. */
export interface SessionProfile {
  /** Milliseconds during which a frame was in progress. */
  readonly frameMs: number;
  /** The part of `frameMs` during which the host worked on the frame, by the host's own clock, to the nearest 10 ms. */
  readonly hostMs: number;
  /** Processes and threads that were started on the host during this time, including those of other programs. */
  readonly processes: number;
  /** The share of `hostMs` and `processes` that each task's steps used, in the order they were performed. */
  readonly tasks: readonly { readonly title: string; readonly hostMs: number; readonly processes: number }[];
}

/** Counters of a session. */
export interface SessionStats extends LinkStats {
  readonly frames: number;
  /** Present only if the session was opened with profiling. */
  readonly profile?: SessionProfile;
}
