import type { TaskCall } from "../core/call.ts";
import type { Values } from "../core/evaluate.ts";

/**
 * One line of a task's table: what it does with these params on a host that is so. A task keeps its lines in
 * `NAME.cases.ts`, as `export const cases: readonly Case[]`.
 */
export interface Case {
  /** What the host is like, or what the task does about it: `a file with other content`. */
  readonly title: string;
  /** The task with its params: `file({ path: "/etc/motd", content: "x" })`. No Refs. */
  readonly call: TaskCall;
  /** The value of every fact, under the task's own name for it. */
  readonly now: Values;
  /** The steps as reports show them, in order; empty where the host is right, and for a wait. */
  readonly steps: readonly string[];
  /** The code of the refusal, where the task refuses. */
  readonly refusal?: string;
}
