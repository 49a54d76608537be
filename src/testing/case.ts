import type { TaskCall } from "../core/authoring/call.ts";
import type { Values } from "../core/authoring/evaluate.ts";

/**
 * One line of a task's table: what the task does with these params on a host in this state. A task keeps its lines in
 * `NAME.cases.ts`, as `export const cases: readonly Case[]`.
 */
export interface Case {
  /** The state of the host, or what the task does about it: `a file with other content`. */
  readonly title: string;
  /** The task with its params, without Refs: `file({ path: "/etc/motd", content: "x" })`. */
  readonly call: TaskCall;
  /** The value of every fact, under the task's own name for it. */
  readonly now: Values;
  /** The steps as reports show them, in order; empty if nothing is to do, and for a wait. */
  readonly steps: readonly string[];
  /** The code of the refusal, if the task refuses. */
  readonly refusal?: string;
}
