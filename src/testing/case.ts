import type { TaskCall } from "../core/authoring/call.ts";
import type { Values } from "../core/authoring/evaluate.ts";

/**
 * One line in a task's table of cases: what the task does with these params on a host in this state. A task keeps its
 * cases in `NAME.cases.ts`, as `export const cases: readonly Case[]`.
 */
export interface Case {
  /** The state of the host, or the task's reaction to it: `a file with different content`. */
  readonly title: string;
  /** The task with its params, without Refs: `file({ path: "/etc/motd", content: "x" })`. */
  readonly call: TaskCall;
  /** The value of every fact, under the task's own name for the fact. */
  readonly now: Values;
  /** The steps in order, as reports show them; empty if there is nothing to do, and for a wait. */
  readonly steps: readonly string[];
  /** The code of the refusal, if the task refuses. */
  readonly refusal?: string;
}
