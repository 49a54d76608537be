import { walkStages, type Values } from "../../../core/authoring/evaluate.ts";
import { Refusal } from "../../../core/authoring/refusal.ts";
import { UnknownValue } from "../../../core/facts/compare.ts";
import { type Fact, type Facts, isControllerFact, listFacts } from "../../../core/facts/fact.ts";
import { isRan } from "../../../core/facts/ran.ts";
import { knownAfterApply } from "../../../core/facts/symbols.ts";
import type { PlannedTask } from "../plan.ts";

/** The values that a task wants for its facts. */
export type Wants = readonly { readonly fact: Fact; readonly wanted: unknown }[];

/** The wants under one assumption; undefined if the task reads a value that the assumption does not include. */
export function tryAssumption(
  task: PlannedTask,
  params: unknown,
  assume: (facts: Facts) => Values,
  names: Set<string>,
): Wants | "refused" | undefined {
  try {
    const { facts, values } = walkStages(task.call.module, params, (asked) => {
      for (const name of Object.keys(asked)) names.add(name);
      return assume(asked);
    });
    const want = task.call.module.want(params as never, values as never);
    if (want instanceof Refusal) return "refused";
    return listFacts(facts).flatMap(({ name, index, fact }) => {
      const whole = want[name];
      const wanted: unknown =
        index === undefined ? whole : Array.isArray(whole) ? (whole as unknown[])[index] : undefined;
      return wanted === undefined || wanted === knownAfterApply || isRan(fact) ? [] : [{ fact, wanted }];
    });
  } catch {
    // A task may throw for an assumed host although it would not throw for a real one.
    return undefined;
  }
}

/**
 * A placeholder for a thing that exists. Apart from its own file, a task usually looks only at the parent directory.
 */
export function thingOf(fact: Fact): object {
  return !isControllerFact(fact) && fact.kind === "file" ? { type: "directory" } : {};
}

/** A record in which only these parts are known: reading any other part throws. */
export function partly(known: object): object {
  return new Proxy(known, {
    get(target, key): unknown {
      if (!(key in target) || Reflect.get(target, key) === knownAfterApply) throw new UnknownValue(String(key));
      return Reflect.get(target, key);
    },
  });
}
