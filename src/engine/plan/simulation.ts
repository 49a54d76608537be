import type { Bound } from "../../core/authoring/evaluate.ts";
import type { Failure } from "../../core/errors.ts";
import type { Step } from "../../core/host/step.ts";
import type { Poll } from "../../core/authoring/task-definition.ts";

/** Replaces steps and waits when hosts are simulated. */
export interface Simulation {
  /** The steps to send instead of a task's own steps. `facts` contains the task's wants. */
  steps(host: string, facts: readonly Bound[], steps: readonly Step[]): readonly Step[];
  /** Determines how a wait polls: in a simulation, waiting changes nothing. */
  poll(poll: Poll): Poll;
  /** The error, without details, for a wait whose condition is not met. */
  unmet(poll: Poll): Failure;
}
