import type { Question } from "./fact.ts";
import type { FurrowError } from "./errors.ts";
import type { Lines } from "./kind.ts";
import type { LinkStats } from "./transport.ts";
import type { FetchStep, Step, StepResult } from "./step.ts";

/** Reads facts; answers come in the order of the questions. */
export interface ReadItem {
  readonly item: "read";
  readonly questions: readonly Question[];
  /** Last in its frame: done also where a guard has ended the frame, but not where a step has. */
  readonly always?: boolean;
}

/** Reads facts, and ends the frame here unless they are as expected. */
export interface GuardItem {
  readonly item: "guard";
  readonly expected: readonly Expectation[];
}

/** What a guard expects of one fact. */
export interface Expectation {
  readonly question: Question;
  /** All lines that the kind must print, exactly, but for those that change by themselves. */
  readonly lines: Lines;
  /** Names of lines that may be there or not, with any value; `*` for all lines of the fact. */
  readonly open?: readonly string[];
}

/** Performs the steps of one task, in order; a step that fails ends the frame. */
export interface StepsItem {
  readonly item: "steps";
  /** Names the task, for output and journal. */
  readonly task: string;
  /** What a person calls the task; `task` where it is not given. */
  readonly title?: string;
  readonly steps: readonly Step[];
  /** Default for the steps' own `timeoutSeconds`. */
  readonly timeoutSeconds?: number;
}

/** One part of a frame. */
export type FrameItem = ReadItem | GuardItem | StepsItem;

/** What is sent to a host in one go: done in order, stopped at the first failed step or guard. */
export interface Frame {
  readonly items: readonly FrameItem[];
}

/** One answer: a value of the question's kind, or why it cannot be read. */
export type Answer = { readonly value: unknown } | { readonly error: FurrowError };

/** What became of one item; `skipped` where the frame had ended before it. */
export type ItemResult =
  | { readonly item: "read"; readonly answers: readonly Answer[] }
  /** The answers are sent whether the guard held or not: what it leaves open is known from them alone. */
  | { readonly item: "guard"; readonly held: boolean; readonly answers: readonly Answer[] }
  | { readonly item: "steps"; readonly results: readonly StepResult[]; readonly failed?: StepFailure }
  | { readonly item: "skipped" };

/** The step that failed, by its index. */
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

/** Whoever sent a frame hears what happens while it runs. */
export interface FrameListener {
  output(this: void, output: StepOutput): void;
  /** The result of an item, by its index, as soon as it is complete; not called for what is skipped. */
  item?(this: void, index: number, result: ItemResult): void;
  /** Something a person should know, of the way to the host rather than of a step: a lost link, a fallback. */
  notice?(this: void, text: string): void;
}

/** Hears nothing. */
export const unheard: FrameListener = { output: () => {} };

/** An open way to one host. One frame at a time; `frame` rejects with E_UNREACHABLE when the link is lost. */
export interface Session {
  frame(frame: Frame, listener: FrameListener, signal: AbortSignal): Promise<readonly ItemResult[]>;
  /** Brings a file of the host to the controller; throws FurrowError E_STEP or E_FILE. */
  fetch(step: FetchStep, signal: AbortSignal): Promise<void>;
  /** The user at whose privilege steps run. */
  readonly user: string;
  stats(): SessionStats;
  close(): Promise<void>;
}

/** Where the time of a session's frames went. */
export interface SessionProfile {
  /** Milliseconds in which a frame was under way. */
  readonly frameMs: number;
  /** Of these, in which the host was at work on it, by its own clock and 10 ms fine. */
  readonly hostMs: number;
  /** Processes and threads that began on the host meanwhile, whoever began them. */
  readonly processes: number;
  /** Of these, what went to the steps of tasks, in the order in which they were performed. */
  readonly tasks: readonly { readonly title: string; readonly hostMs: number; readonly processes: number }[];
}

/** Counters of a session. */
export interface SessionStats extends LinkStats {
  readonly frames: number;
  /** Only where the session was opened to measure it. */
  readonly profile?: SessionProfile;
}
