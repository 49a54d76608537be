import { canonical, contradict, differences, merge, UnknownValue } from "../core/compare.ts";
import { FurrowError } from "../core/errors.ts";
import { askStages, collect, type Values } from "../core/evaluate.ts";
import { type Fact, factId, type Facts, listFacts } from "../core/fact.ts";
import { Refusal } from "../core/refusal.ts";
import { printMarkers } from "../core/secret.ts";
import { absent, isRecord, knownAfterApply } from "../core/symbols.ts";
import { isRan } from "./ahead.ts";
import { labelOf, mainTasks, type Planned, type PlannedTask } from "./plan.ts";

/** One task's want of one fact. */
interface Claim {
  readonly wanted: unknown;
  readonly task: PlannedTask;
}

/** All wants of one fact in the order of the play, and what they come to together. */
interface Claimed {
  value: unknown;
  readonly claims: Claim[];
}

/**
 * Refuses plays in which two tasks want different values for one fact: they would undo each other at every run.
 * Every task is asked what it wants of a host of which only earlier wants are known, then once more of the host as the
 * whole play would leave it: whoever then wants the same as before, and not what the play ends with, is in conflict.
 * Tasks that build on what is there (lines of one file, jobs of one crontab) are content the second time. A task that
 * must look at a real host to tell is left to the run. Throws FurrowError E_CONFLICTING_WANTS.
 */
export function checkConflicts(plan: readonly Planned[]): void {
  const state = new Map<string, Claimed>();
  const tasks = mainTasks(plan).filter(isCertain);
  const first = tasks.map((task) => {
    const wants = wantsOf(task, state);
    for (const [key, wanted] of wants) {
      const claimed = state.get(key) ?? { value: undefined, claims: [] };
      claimed.value = merge(claimed.value, wanted);
      claimed.claims.push({ wanted, task });
      state.set(key, claimed);
    }
    return wants;
  });
  if (![...state.values()].some(({ claims }) => claims.length > 1)) return;
  tasks.forEach((task, index) => {
    for (const [key, wanted] of wantsOf(task, state)) {
      const claimed = state.get(key);
      if (!claimed || !contradict(claimed.value, wanted)) continue;
      if (canonical(first[index]?.get(key)) !== canonical(wanted)) continue;
      const other = claimed.claims.findLast((claim) => claim.task !== task && contradict(claim.wanted, wanted));
      if (other) throw conflict(key.slice(key.indexOf(" ") + 1), { wanted, task }, other);
    }
  });
}

/** True for tasks that act in every run: no wait, no condition, params known. */
function isCertain(task: PlannedTask): boolean {
  return "params" in task.parsed && !task.call.module.poll && task.when.every((condition) => condition === true);
}

/** What a task wants, by target and fact id; under the first assumption about the rest of the host that lets it tell. */
function wantsOf(task: PlannedTask, state: ReadonlyMap<string, Claimed>): Map<string, unknown> {
  const params: unknown = "params" in task.parsed ? task.parsed.params : undefined;
  const keyOf = (fact: Fact): string => `${task.target} ${factId(fact)}`;
  const known = (fact: Fact, otherwise: unknown): unknown => {
    const claimed = state.get(keyOf(fact))?.value;
    return isRan(fact) ? false : claimed === undefined ? otherwise : isRecord(claimed) ? partly(claimed) : claimed;
  };
  const names = new Set<string>();
  for (let attempt = 0; attempt <= names.size + 1; attempt += 1) {
    const name = [...names][attempt - 1];
    const assume = (facts: Facts): Values => {
      const all = collect(facts, (fact) => known(fact, attempt > names.size ? absent : unknownThing));
      if (name === undefined || !(name in facts)) return all;
      return { ...all, ...collect({ [name]: facts[name] ?? [] }, (fact) => known(fact, absent)) };
    };
    const wants = tryAssumption(task, params, assume, names);
    if (wants) return new Map(wants.map(({ fact, wanted }) => [keyOf(fact), wanted]));
  }
  return new Map();
}

/** The wants under one assumption; undefined where the task refuses, or looks at what nobody knows. */
function tryAssumption(
  task: PlannedTask,
  params: unknown,
  assume: (facts: Facts) => Values,
  names: Set<string>,
): { fact: Fact; wanted: unknown }[] | undefined {
  try {
    const stages = askStages(task.call.module, params);
    let stage = stages.next();
    while (stage.done !== true) {
      for (const name of Object.keys(stage.value)) names.add(name);
      stage = stages.next(assume(stage.value));
    }
    const want = task.call.module.want(params as never, assume(stage.value) as never);
    if (want instanceof Refusal) return undefined;
    return listFacts(stage.value).flatMap(({ name, index, fact }) => {
      const whole = want[name];
      const wanted: unknown =
        index === undefined ? whole : Array.isArray(whole) ? (whole as unknown[])[index] : undefined;
      return wanted === undefined || wanted === knownAfterApply || isRan(fact) ? [] : [{ fact, wanted }];
    });
  } catch {
    // What a task throws for a host that nobody has seen, it may not throw for a real one.
    return undefined;
  }
}

/** A thing that is there, and of which nothing is known. */
const unknownThing = partly({});

/** A record of which only these parts are known: looking at another throws. */
function partly(known: object): object {
  return new Proxy(known, {
    get(target, key): unknown {
      if (!(key in target) || Reflect.get(target, key) === knownAfterApply) throw new UnknownValue(String(key));
      return Reflect.get(target, key);
    },
  });
}

function conflict(id: string, first: Claim, second: Claim): FurrowError {
  const [difference] = differences(first.wanted, second.wanted);
  const part = difference === undefined || difference.path === "" ? id : `${difference.path} of ${id}`;
  const name = ({ task }: Claim): string =>
    `${labelOf(task, task.target).title}${task.call.source === undefined ? "" : ` at ${task.call.source}`}`;
  const { source } = second.task.call;
  return new FurrowError("E_CONFLICTING_WANTS", {
    what: `two tasks want different values for ${part}: they would undo each other at every run`,
    where: { task: labelOf(second.task, second.task.target).title, ...(source !== undefined && { source }) },
    details: [
      `${show(difference?.from)} is wanted by ${name(first)}`,
      `${show(difference?.to)} is wanted by ${name(second)}`,
    ],
    hint: "Keep one of the two, or make them agree",
  });
}

function show(value: unknown): string {
  if (typeof value === "symbol") return (value.description ?? "").replace("furrow.", "");
  const text = printMarkers(JSON.stringify(value) ?? "nothing");
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
