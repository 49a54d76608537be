import type { Bound } from "../../core/evaluate.ts";
import type { Step } from "../../core/step.ts";
import type { Poll } from "../../core/task-definition.ts";

/** What acts in place of steps and waits where hosts are only simulated. */
export interface Simulation {
  /** The steps to send in place of a task's own; `facts` with what the task wants of them. */
  steps(host: string, facts: readonly Bound[], steps: readonly Step[]): readonly Step[];
  /** How a wait asks again: nothing comes about by waiting. */
  poll(poll: Poll): Poll;
}
