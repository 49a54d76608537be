import { UnknownValue } from "../../core/facts/compare.ts";
import { isFurrowError } from "../../core/errors.ts";
import { readStages, collect, decide, type Values } from "../../core/authoring/evaluate.ts";
import { type Fact, type Facts, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { isThere } from "../../core/facts/kind.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { AttemptContext, AttemptResult } from "./task-context.ts";
import type { Host } from "../host/host.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { readFacts } from "../host/read-facts.ts";

/**
 * Check mode: handles a task whose facts depend on an earlier task that may provide them (`mayProvide`). Providing adds
 * missing things and does not change existing ones. So if everything is already in the desired state, the task is ok,
 * regardless of what the earlier task does. Returns undefined if it cannot be proved that the task is ok.
 */
export async function alreadyOk(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<AttemptResult | undefined> {
  const { host } = context;
  const { module } = planned.call;
  const values = (facts: Facts): Values =>
    collect(facts, (fact) => (isRan(fact) ? false : host.knowledge.lookupIgnoringProvided(fact)?.value));
  try {
    const { facts, complete } = await readStages(module, params, async (asked) => {
      const open = listFacts(asked)
        .map(({ fact }) => fact)
        .filter((fact) => !isRan(fact) && host.knowledge.lookupIgnoringProvided(fact) === undefined);
      const errors = open.length === 0 ? undefined : await readFacts(open, host, context.drivers, context.signal);
      return errors !== undefined && errors.size > 0 ? undefined : values(asked);
    });
    if (!complete) return undefined;
    const now = values(facts);
    const decision = decide(module, params, facts, now);
    if ("refusal" in decision || decision.match !== "same") return undefined;
    if (decision.facts.some(({ fact, now: value }) => isProvided(fact, host) && !isKept(fact, value))) return undefined;
    return { outcome: "ok", changes: [], values: now, results: undefined };
  } catch (error) {
    if (error instanceof UnknownValue || (isFurrowError(error) && error.code === "E_FACT")) return undefined;
    throw error;
  }
}

function isProvided(fact: Fact, host: Host): boolean {
  return !isRan(fact) && host.knowledge.lookup(fact)?.value === knownAfterApply;
}

/**
 * True if the value stays valid even if an earlier task provides things. The earlier task may still create a thing that
 * is absent now and that this task wants to be absent. What an API reports about an object (a controller fact) may
 * change in any way.
 */
function isKept(fact: Fact, value: unknown): boolean {
  return !isControllerFact(fact) && isThere(fact, value);
}
