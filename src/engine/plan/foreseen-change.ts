import type { Decision } from "../../core/authoring/evaluate.ts";
import type { Facts } from "../../core/facts/fact.ts";
import type { Step } from "../../core/host/step.ts";
import type { PlannedTask } from "./plan.ts";

/** A task that will change something: its predicted decision and its steps. */
export interface ForeseenChange {
  readonly task: PlannedTask;
  readonly params: unknown;
  readonly facts: Facts;
  readonly decision: WantDecision;
  readonly steps: readonly Step[];
}

/** A decision in which the task wants something, i.e. not a refusal. */
export type WantDecision = Extract<Decision, { want: unknown }>;
