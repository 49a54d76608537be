import type { Bound } from "../../core/evaluate.ts";
import type { Step } from "../../core/step.ts";
import type { Poll } from "../../core/task-definition.ts";

/** Replaces steps and waits when hosts are simulated. */
export interface Simulation {
  /** The steps to send instead of a task's own. `facts` has the task's wants. */
  steps(host: string, facts: readonly Bound[], steps: readonly Step[]): readonly Step[];
  /** How a wait polls: in a simulation, nothing changes by waiting. */
  poll(poll: Poll): Poll;
}
