import type { TaskCall } from "../core/authoring/call.ts";
import { walkStages, decide, type Decision, stepsOf, type Values } from "../core/authoring/evaluate.ts";
import type { Facts } from "../core/facts/fact.ts";
import { parseParams } from "../core/params/params.ts";
import { predictionOf } from "../core/facts/prediction.ts";
import type { Step } from "../core/host/step.ts";
import type { TaskDefinition } from "../core/authoring/task-definition.ts";

/** The results of a task's functions for given values, without a host. */
export interface Trial {
  readonly module: TaskDefinition;
  readonly params: unknown;
  readonly facts: Facts;
  /** The values of exactly these facts. */
  readonly values: Values;
  readonly decision: Decision;
  /** Empty if nothing differs or if the task refuses. */
  readonly steps: readonly Step[];
}

/**
 * The params of a call, parsed by the task's schema. Throws FurrowError E_PARAMS, and an Error if the params contain
 * Refs.
 */
export function paramsOf(call: TaskCall): unknown {
  const { card } = call.module;
  const parsed = parseParams(card.params, call.input, () => undefined, { task: card.name });
  if (!("params" in parsed)) throw new Error("this needs params without Refs");
  return parsed.params;
}

/**
 * Runs a task's functions with values for its facts, keyed by the names that the task gives them. Passes on any error
 * that the task throws, and throws an Error if a value is missing.
 */
export function tryTask(module: TaskDefinition, params: unknown, now: Values): Trial {
  const facts = factsOf(module, params, now);
  const values = Object.fromEntries(Object.keys(facts).map((name) => [name, now[name]]));
  const decision = decide(module, params, facts, values);
  const acts = !("refusal" in decision) && decision.match !== "same";
  return {
    module,
    params,
    facts,
    values,
    decision,
    steps: acts ? stepsOf(module, params, facts, values, decision) : [],
  };
}

/**
 * Returns all facts of a task; the task's later stages receive the given values. Throws an Error if a value is missing.
 */
export function factsOf(module: TaskDefinition, params: unknown, now: Values): Facts {
  return walkStages(module, params, (asked) => {
    const missing = Object.keys(asked).filter((name) => !(name in now));
    if (missing.length > 0) throw new Error(`\`now\` has no value for: ${missing.join(", ")}`);
    return now;
  }).facts;
}

/** The values after the task has applied what it wants; `except` names facts that stay unchanged. */
export function valuesAfter(trial: Trial, except: readonly string[] = []): Values {
  const { decision, facts, values } = trial;
  if ("refusal" in decision) return values;
  const bound = decision.facts.values();
  const next = (name: string): unknown => {
    const { fact, now, wanted, match } = bound.next().value ?? never();
    return match === "same" || except.includes(name) ? now : predictionOf(fact, now, wanted, { user: "root" });
  };
  return Object.fromEntries(
    Object.entries(facts).map(([name, asked]) => [
      name,
      Array.isArray(asked) ? asked.map(() => next(name)) : next(name),
    ]),
  );
}

function never(): never {
  throw new Error("a decision has one entry for each fact");
}
