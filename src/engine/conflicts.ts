import { contradict, differences, merge, UnknownValue } from "../core/compare.ts";
import { FurrowError } from "../core/errors.ts";
import { askStages, collect, decide } from "../core/evaluate.ts";
import { type Fact, factId, type Facts } from "../core/fact.ts";
import { knownAfterApply } from "../core/symbols.ts";
import { printMarkers } from "../core/secret.ts";
import { isRan } from "./ahead.ts";
import { labelOf, mainTasks, type Planned, type PlannedTask } from "./plan.ts";

interface Claim {
  readonly wanted: unknown;
  readonly task: PlannedTask;
}

/**
 * Refuses plays in which two tasks want different values for one fact: they would undo each other at every run.
 * Each task is asked what it wants of a host of which only earlier wants are known; one that must look at the host to
 * tell is left to the run. Throws FurrowError E_CONFLICTING_WANTS.
 */
export function checkConflicts(plan: readonly Planned[]): void {
  const claims = new Map<string, Claim>();
  for (const task of mainTasks(plan)) {
    if (!("params" in task.parsed) || task.call.module.poll || task.when.some((condition) => condition !== true))
      continue;
    for (const { id, wanted } of wantsOf(task, task.parsed.params, claims)) {
      const key = `${task.target} ${id}`;
      const earlier = claims.get(key);
      if (earlier && contradict(earlier.wanted, wanted)) throw conflict(id, earlier, { wanted, task });
      claims.set(key, { wanted: merge(earlier?.wanted, wanted), task });
    }
  }
}

function wantsOf(
  task: PlannedTask,
  params: unknown,
  claims: ReadonlyMap<string, Claim>,
): { id: string; wanted: unknown }[] {
  const value = (fact: Fact): unknown =>
    isRan(fact) ? false : (claims.get(`${task.target} ${factId(fact)}`)?.wanted ?? knownAfterApply);
  try {
    const stages = askStages(task.call.module, params);
    let stage = stages.next();
    while (stage.done !== true) stage = stages.next(valuesOf(stage.value, value));
    const decision = decide(task.call.module, params, stage.value, valuesOf(stage.value, value));
    if ("refusal" in decision) return [];
    return decision.facts.flatMap(({ fact, id, wanted }) =>
      wanted === undefined || wanted === knownAfterApply || isRan(fact) ? [] : [{ id, wanted }],
    );
  } catch (error) {
    // What a task throws for a host of which nothing is known, it may not throw for a real one.
    if (error instanceof UnknownValue || error instanceof Error) return [];
    throw error;
  }
}

/** A claimed record is known only in what was claimed: the rest throws when looked at. */
function valuesOf(facts: Facts, value: (fact: Fact) => unknown): ReturnType<typeof collect> {
  return collect(facts, (fact) => {
    const known = value(fact);
    return typeof known === "object" && known !== null && !Array.isArray(known) ? partial(known) : known;
  });
}

function partial(known: object): object {
  return new Proxy(known, {
    get(target, key): unknown {
      if (!(key in target)) throw new UnknownValue(String(key));
      return Reflect.get(target, key);
    },
  });
}

function conflict(id: string, first: Claim, second: Claim): FurrowError {
  const [difference] = differences(first.wanted, second.wanted);
  const part = difference === undefined || difference.path === "" ? id : `${difference.path} of ${id}`;
  const name = ({ task }: Claim): string =>
    `${labelOf(task, task.target).title}${task.call.source === undefined ? "" : ` at ${task.call.source}`}`;
  return new FurrowError("E_CONFLICTING_WANTS", {
    what: `two tasks want different values for ${part}: they would undo each other at every run`,
    where: {
      task: second.task.call.module.card.name,
      ...(second.task.call.source && { source: second.task.call.source }),
    },
    current: `${show(difference?.from)} wanted by ${name(first)}`,
    expected: `${show(difference?.to)} wanted by ${name(second)}`,
    hint: "Keep one of the two, or make them agree",
  });
}

function show(value: unknown): string {
  const text =
    typeof value === "symbol" ? (value.description ?? "").replace("furrow.", "") : (JSON.stringify(value) ?? "nothing");
  return printMarkers(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
