import { differences } from "../core/facts/compare.ts";
import type { TaskCall } from "../core/authoring/call.ts";
import type { Decision, Values } from "../core/authoring/evaluate.ts";
import { factId, listFacts } from "../core/facts/fact.ts";
import type { RefusalReason } from "../core/authoring/refusal.ts";
import { describeStep, type Step } from "../core/host/step.ts";
import { paramsOf, tryTask } from "./trial.ts";

/** The results of a task's functions for given values, without a host. */
export interface Explanation {
  /** The ids of all facts that the task asks for. */
  readonly facts: readonly string[];
  readonly refusal?: RefusalReason;
  /** The ids of the facts that differ from the want, each with the parts that differ. */
  readonly change: Readonly<Record<string, readonly string[]>>;
  readonly steps: readonly Step[];
  /** Descriptions of the steps, one line each. */
  readonly described: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Runs a task's functions with given values: `explain(file({ path: "/etc/motd", content: "x" }), { path: absent, … })`.
 * `now` contains the value of every fact, under the task's own name for the fact. Passes on any error that the task
 * throws.
 */
export function explain(call: TaskCall, now: Values): Explanation {
  const params = paramsOf(call);
  const { module, facts, values, decision, steps } = tryTask(call.module, params, now);
  const ids = listFacts(facts).map(({ fact }) => factId(fact));
  const notes = module.notes?.(params as never, values as never, undefined) ?? [];
  if ("refusal" in decision) {
    return { facts: ids, refusal: decision.refusal.reason, change: {}, steps: [], described: [], notes };
  }
  return { facts: ids, change: changed(decision.facts), steps, described: steps.map(describeStep), notes };
}

function changed(facts: Extract<Decision, { want: unknown }>["facts"]): Record<string, string[]> {
  return Object.fromEntries(
    facts
      .filter((fact) => fact.match !== "same")
      .map((fact) => [fact.id, differences(fact.now, fact.bound).map(({ path }) => path)]),
  );
}
