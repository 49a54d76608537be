import type { Decision } from "../../core/evaluate.ts";
import type { Facts } from "../../core/fact.ts";
import type { Step } from "../../core/step.ts";
import type { PlannedTask } from "./plan.ts";

/** A task that will change something: its predicted decision and its steps. */
export interface ForeseenChange {
  readonly task: PlannedTask;
  readonly params: unknown;
  readonly facts: Facts;
  readonly decision: Wanting;
  readonly steps: readonly Step[];
}

/** A decision in which the task wants something, i.e. not a refusal. */
export type Wanting = Extract<Decision, { want: unknown }>;
