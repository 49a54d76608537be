import { UnknownValue } from "../../core/compare.ts";
import { isFurrowError } from "../../core/errors.ts";
import { askStages, collect, decide, type Values } from "../../core/evaluate.ts";
import { type Fact, type Facts, isControllerFact, listFacts } from "../../core/fact.ts";
import { kindOf } from "../../core/kind.ts";
import { absent, knownAfterApply } from "../../core/symbols.ts";
import { isRan } from "../../core/ran.ts";
import type { AttemptContext, Attempted } from "./task-context.ts";
import type { Host } from "../host/host.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { readFacts } from "../host/read-facts.ts";

/**
 * Check mode: handles a task whose facts depend on an earlier task that may provide them (`mayProvide`). Providing adds
 * what is missing and does not change what is present. So if everything is already present as wanted, the task is ok
 * whatever the earlier task does. Returns undefined if this cannot be shown.
 */
export async function rightAlready(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<Attempted | undefined> {
  const { host } = context;
  const { module } = planned.call;
  const values = (facts: Facts): Values =>
    collect(facts, (fact) => (isRan(fact) ? false : host.knowledge.beneath(fact)?.value));
  try {
    const stages = askStages(module, params);
    let stage = stages.next();
    while (stage.done !== true) {
      const open = listFacts(stage.value)
        .map(({ fact }) => fact)
        .filter((fact) => !isRan(fact) && host.knowledge.beneath(fact) === undefined);
      const errors = open.length === 0 ? undefined : await readFacts(open, host, context.drivers, context.signal);
      if (errors !== undefined && errors.size > 0) return undefined;
      stage = stages.next(values(stage.value));
    }
    const now = values(stage.value);
    const decision = decide(module, params, stage.value, now);
    if ("refusal" in decision || decision.match !== "same") return undefined;
    // A fact that is wanted absent and is absent now may still be provided by the earlier task.
    if (decision.facts.some(({ fact, now: value }) => isProvided(fact, host) && !isThere(fact, value)))
      return undefined;
    return { outcome: "ok", changes: [], values: now, results: undefined };
  } catch (error) {
    if (error instanceof UnknownValue || (isFurrowError(error) && error.code === "E_FACT")) return undefined;
    throw error;
  }
}

function isProvided(fact: Fact, host: Host): boolean {
  return !isRan(fact) && host.knowledge.lookup(fact)?.value === knownAfterApply;
}

function isThere(fact: Fact, value: unknown): boolean {
  if (isControllerFact(fact)) return value !== absent;
  const { isThere: there } = kindOf(fact.kind);
  return there ? there(value) : value !== absent;
}
