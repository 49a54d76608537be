import { differences } from "../core/compare.ts";
import type { TaskCall } from "../core/call.ts";
import { askStages, decide, stepsOf, type Values } from "../core/evaluate.ts";
import { factId, type Facts, listFacts } from "../core/fact.ts";
import { parseParams } from "../core/params.ts";
import type { RefusalReason } from "../core/refusal.ts";
import { describeStep, type Step } from "../core/step.ts";

/** What a task would do in view of some values, without any host. */
export interface Explanation {
  /** Ids of all facts it looks at. */
  readonly facts: readonly string[];
  readonly refusal?: RefusalReason;
  /** Ids of the facts that are not as wanted, each with the parts that differ. */
  readonly change: Readonly<Record<string, readonly string[]>>;
  readonly steps: readonly Step[];
  /** The steps, one line each. */
  readonly described: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Runs a task's links with given values: `explain(file({ path: "/etc/motd", content: "x" }), { path: absent, … })`.
 * `now` has the value of every fact under the task's own name for it. Throws what the task throws.
 */
export function explain(call: TaskCall, now: Values): Explanation {
  const { module } = call;
  const parsed = parseParams(module.card.params, call.input, () => undefined, { task: module.card.name });
  if (!("params" in parsed)) throw new Error("explain needs params without Refs");
  const { params } = parsed;
  const facts = factsOf(call, params, now);
  const ids = listFacts(facts).map(({ fact }) => factId(fact));
  const values = Object.fromEntries(Object.keys(facts).map((name) => [name, now[name]]));
  const notes = module.notes?.(params as never, values as never, undefined) ?? [];
  const decision = decide(module, params, facts, values);
  if ("refusal" in decision) {
    return { facts: ids, refusal: decision.refusal.reason, change: {}, steps: [], described: [], notes };
  }
  const steps = decision.match === "same" ? [] : stepsOf(module, params, facts, values, decision);
  return { facts: ids, change: changed(decision.facts), steps, described: steps.map(describeStep), notes };
}

function factsOf(call: TaskCall, params: unknown, now: Values): Facts {
  const stages = askStages(call.module, params);
  let step = stages.next();
  while (step.done !== true) {
    const missing = Object.keys(step.value).filter((name) => !(name in now));
    if (missing.length > 0) throw new Error(`now lacks a value for: ${missing.join(", ")}`);
    step = stages.next(now);
  }
  return step.value;
}

function changed(facts: Extract<ReturnType<typeof decide>, { want: unknown }>["facts"]): Record<string, string[]> {
  return Object.fromEntries(
    facts
      .filter((fact) => fact.match !== "same")
      .map((fact) => [fact.id, differences(fact.now, fact.bound).map(({ path }) => path)]),
  );
}
