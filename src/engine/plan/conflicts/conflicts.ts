import { canonical, contradict, merge } from "../../../core/facts/compare.ts";
import { askStages, collect, type Values } from "../../../core/authoring/evaluate.ts";
import { type Fact, factId, type Facts, listFacts } from "../../../core/facts/fact.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { partly, thingOf, tryAssumption, type Wants } from "./assumption.ts";
import { checkOnce, findOnce } from "./conflict-cache.ts";
import { conflict } from "./conflict-error.ts";
import { isRan } from "../../../core/facts/ran.ts";
import { editConflict, type EditConflict } from "./edit-conflicts.ts";
import { type Comparison, type ControllerTrees, noTrees } from "../controller-trees.ts";
import type { PathNames } from "../../paths/path-names.ts";
import { permittedRemovalConflict } from "./permitted-removal-conflicts.ts";
import { assumedHosts } from "../assumed-hosts.ts";
import { mainTasks, type Planned, type PlannedTask } from "../plan.ts";
import { refuseTwoKeepers } from "./keeper-conflicts.ts";
import { refuseTwoOwners } from "./owner-conflicts.ts";
import { removalConflict } from "./removal-conflicts.ts";
import { lastingConflict } from "./temporary.ts";
import { treeConflict } from "./tree-conflicts.ts";
import { undoneConflict } from "./undone-conflicts.ts";

/** One task's want for one fact. */
interface Claim {
  readonly wanted: unknown;
  readonly task: PlannedTask;
}

/** All wants for one fact in the order of the play, and the value that results from them. */
interface Claimed {
  value: unknown;
  readonly claims: Claim[];
}

/**
 * Refuses plays in which two tasks want different values for one fact: such tasks would undo each other in every run.
 *
 * Each task is asked twice what it wants: first for a host on which only the wants of earlier tasks are known, then for
 * the host as the whole play would leave it. A task conflicts if its second answer equals its first one and contradicts
 * the final state. Tasks that build on the current value (lines in one file, jobs in one crontab) are satisfied the
 * second time. If a task's want depends on a real host, the check is left to the run. A task marked `temporary` may be
 * changed by a later task. Throws FurrowError E_CONFLICTING_WANTS.
 */
export function checkConflicts(plan: readonly Planned[], trees: ControllerTrees = {}): void {
  const tasks = mainTasks(plan).filter(isCertain);
  const {
    treeText = noTrees.treeText,
    treeHolds = noTrees.treeHolds,
    treeEntry = noTrees.treeEntry,
    treeNames = noTrees.treeNames,
  } = trees;
  const comparison = {
    idOf: (_task: PlannedTask, fact: Fact) => factId(fact),
    treeText,
    treeHolds,
    treeEntry,
    treeNames,
  };
  checkOnce(tasks, () => compareAll(tasks, comparison));
}

/**
 * The same check for different names of the same thing: facts about it then count as one fact. `names` returns the
 * known names on the host that a task acts on. Does nothing if no two names of these tasks refer to the same thing.
 */
export function checkNamedConflicts(plan: readonly Planned[], names: (task: PlannedTask) => PathNames): void {
  const tasks = mainTasks(plan).filter(isCertain);
  const idOf: Comparison["idOf"] = (task, fact) => factId(names(task).fact(fact));
  if (hasAliases(tasks, idOf)) compareAll(tasks, { idOf, ...noTrees });
}

function hasAliases(tasks: readonly PlannedTask[], idOf: Comparison["idOf"]): boolean {
  const named = new Map<string, string>();
  return tasks.some((task) =>
    firstFacts(task).some((fact) => {
      const key = `${task.target} ${idOf(task, fact)}`;
      const id = factId(fact);
      const before = named.get(key);
      named.set(key, id);
      return before !== undefined && before !== id;
    }),
  );
}

function compareAll(tasks: readonly PlannedTask[], comparison: Comparison): void {
  refuseTwoOwners(tasks);
  refuseTwoKeepers(tasks);
  const found = lastingConflict(tasks, (some) => findConflict(some, comparison));
  if (found) throw conflict(found.id, found.first, found.second);
}

/** Finds two tasks that would undo each other in every run. */
function findConflict(tasks: readonly PlannedTask[], comparison: Comparison): EditConflict | undefined {
  const asking = { factsOf: firstFacts, wantOf, comparison };
  return (
    wantConflict(tasks, comparison) ??
    editConflict(tasks, namedFirst, comparison) ??
    removalConflict(tasks, asking) ??
    permittedRemovalConflict(tasks, asking) ??
    treeConflict(tasks, asking) ??
    undoneConflict(tasks, asking)
  );

  function wantOf(task: PlannedTask, id: string): unknown {
    const wants = wantsOf(task, comparison, () => undefined);
    return wants === "refused" ? undefined : wants.get(`${task.target} ${id}`);
  }
}

function wantConflict(tasks: readonly PlannedTask[], comparison: Comparison): EditConflict | undefined {
  const claims = new Claims(tasks, comparison);
  for (const { task, wants } of claims.contested()) {
    const again = wantsOf(task, comparison, (asked) => claims.of(asked));
    // If the task would refuse in the state that the other tasks' wants produce, the wants it had at first are compared
    // instead.
    for (const [key, wanted] of again === "refused" ? wants : again) {
      const claimed = claims.of(key);
      if (!claimed || !contradict(claimed.value, wanted)) continue;
      if (!insists(wants.get(key), wanted, claimed.value)) continue;
      const other = claimed.claims.findLast((claim) => claim.task !== task && contradict(claim.wanted, wanted));
      if (other) return { id: key.slice(key.indexOf(" ") + 1), first: { wanted, task }, second: other };
    }
  }
  return undefined;
}

/** A task that was asked, and its wants by target and fact id. */
interface Asked {
  readonly task: PlannedTask;
  readonly wants: ReadonlyMap<string, unknown>;
}

/**
 * The values that tasks want on a host about which nothing is known except what earlier tasks want. Asking a task is
 * expensive, so a task whose facts no other task names is not asked: it cannot contradict another task.
 */
class Claims {
  readonly #claimed = new Map<string, Claimed>();
  readonly #asked = new Map<PlannedTask, Asked>();
  /**
   * For each fact, the tasks whose first stage names it, in the order of the play. Later stages are not known in
   * advance.
   */
  readonly #named = new Map<string, PlannedTask[]>();
  /** Facts that the tasks asked so far have looked up, including those of later stages. */
  readonly #wanted = new Set<string>();
  readonly #comparison: Comparison;

  constructor(tasks: readonly PlannedTask[], comparison: Comparison) {
    this.#comparison = comparison;
    const keys = tasks.map((task) => [...new Set(firstFacts(task).map((fact) => keyOf(task, fact, comparison)))]);
    tasks.forEach((task, index) => {
      for (const key of keys[index] ?? []) {
        const named = this.#named.get(key);
        if (named === undefined) this.#named.set(key, [task]);
        else named.push(task);
      }
    });
    const order = new Map(tasks.map((task, index) => [task, index]));
    tasks.forEach((task, index) => {
      const isAlone =
        keys[index]?.every((key) => this.#named.get(key)?.length === 1 && !this.#wanted.has(key)) === true;
      if (isAlone && task.call.module.stages.length === 1) return;
      this.#ask(task, (other) => (order.get(other) ?? 0) < index);
    });
  }

  /** All wants for a fact. */
  of(key: string): Claimed | undefined {
    return this.#claimed.get(key);
  }

  /** Tasks with a fact that another task also wants. */
  contested(): Asked[] {
    return [...this.#asked.values()].filter(({ wants }) =>
      [...wants.keys()].some((key) => (this.#claimed.get(key)?.claims.length ?? 0) > 1),
    );
  }

  #ask(task: PlannedTask, isEarlier: (other: PlannedTask) => boolean): void {
    if (this.#asked.has(task)) return;
    const asked = wantsOf(task, this.#comparison, (key) => {
      this.#wanted.add(key);
      // If several tasks name the fact, the earlier ones have already been asked.
      const [only, second] = this.#named.get(key) ?? [];
      if (only !== undefined && second === undefined && only !== task && isEarlier(only)) this.#ask(only, () => false);
      return this.#claimed.get(key);
    });
    // If the task refuses after the earlier tasks, ask what it wants without them.
    const alone = asked === "refused" ? wantsOf(task, this.#comparison, () => undefined) : asked;
    const wants = alone === "refused" ? new Map<string, unknown>() : alone;
    this.#asked.set(task, { task, wants });
    for (const [key, wanted] of wants) {
      const claimed = this.#claimed.get(key) ?? { value: undefined, claims: [] };
      claimed.value = merge(claimed.value, wanted);
      claimed.claims.push({ wanted, task });
      this.#claimed.set(key, claimed);
    }
  }
}

/** The facts of a task's first stage. */
export function firstFacts(task: PlannedTask): Fact[] {
  return listFacts(namedFirst(task) ?? {}).map(({ fact }) => fact);
}

/**
 * Cached results of {@link namedFirst}, because the same tasks are compared again for each host on which things have
 * other names.
 */
const foundFirst = new WeakMap<PlannedTask, Facts>();

/**
 * The facts of a task's first stage, under the task's own names. Undefined if the stage throws; the run will report
 * that error.
 */
function namedFirst(task: PlannedTask): Facts | undefined {
  const known = foundFirst.get(task);
  if (known !== undefined) return known;
  try {
    const facts = askStages(task.call.module, paramsOf(task)).next().value;
    foundFirst.set(task, facts);
    return facts;
  } catch {
    return undefined;
  }
}

function paramsOf(task: PlannedTask): unknown {
  return "params" in task.parsed ? task.parsed.params : undefined;
}

function keyOf(task: PlannedTask, fact: Fact, { idOf }: Comparison): string {
  return `${task.target} ${idOf(task, fact)}`;
}

/**
 * The value that a task wants for a fact, under the task's own names; undefined if the task has no want for the fact,
 * or if only a real host can tell.
 */
export function wantOf(task: PlannedTask, fact: Fact): unknown {
  const known = wantsAlone.get(task) ?? findOnce(equalWants, task, () => wantsById(task));
  wantsAlone.set(task, known);
  return known.get(factId(fact));
}

/**
 * Cached wants by fact id, under a task's own names: first for each task, then for groups of equal tasks on any hosts.
 */
const wantsAlone = new WeakMap<PlannedTask, ReadonlyMap<string, unknown>>();
const equalWants = new Map<string, ReadonlyMap<string, unknown>>();

function wantsById(task: PlannedTask): Map<string, unknown> {
  const comparison: Comparison = { idOf: (_task, one) => factId(one), ...noTrees };
  const wants = wantsOf(task, comparison, () => undefined);
  const all = wants === "refused" ? [] : [...wants];
  return new Map(all.map(([key, wanted]) => [key.slice(task.target.length + 1), wanted]));
}

/**
 * True for a task whose want applies in every run: it is not a wait, no condition can skip it, and its params are
 * known.
 */
export function isCertain(task: PlannedTask): boolean {
  return "params" in task.parsed && !task.call.module.poll && isUnconditional(task);
}

/** True for a task without a condition that could be false. */
export function isUnconditional({ when }: PlannedTask): boolean {
  return when.every((condition) => condition === true);
}

/**
 * The values that a task wants, by target and fact id. The task is asked under several assumptions about the rest of
 * the host; the first assumption under which it wants something is used. Returns `refused` if the task refuses under
 * some assumption and wants nothing under any.
 */
function wantsOf(
  task: PlannedTask,
  comparison: Comparison,
  claimedOf: (key: string) => Claimed | undefined,
): Map<string, unknown> | "refused" {
  const params = paramsOf(task);
  const claimedValue = (fact: Fact): unknown => claimedOf(keyOf(task, fact, comparison))?.value;
  const byKey = (wants: Wants): Map<string, unknown> =>
    new Map(wants.map(({ fact, wanted }) => [keyOf(task, fact, comparison), wanted]));
  let isRefused = false;
  for (const fill of [partly, ...assumedHosts]) {
    const known = (fact: Fact, otherwise: unknown): unknown => {
      const claimed = claimedValue(fact);
      if (isRan(fact)) return false;
      return claimed === undefined ? otherwise : isRecord(claimed) ? fill(claimed, fact) : claimed;
    };
    const names = new Set<string>();
    for (let attempt = 0; attempt <= names.size + 1; attempt += 1) {
      const name = [...names][attempt - 1];
      const assume = (facts: Facts): Values => {
        const all = collect(facts, (fact) => known(fact, attempt > names.size ? absent : fill(thingOf(fact), fact)));
        if (name === undefined || !(name in facts)) return all;
        return { ...all, ...collect({ [name]: facts[name] ?? [] }, (fact) => known(fact, absent)) };
      };
      const wants = tryAssumption(task, params, assume, names);
      if (wants === "refused") isRefused = true;
      else if (wants && wants.length > 0) return byKey(wants);
    }
  }
  // A task that removes a thing may first ask about parts of it. If the task wants the thing to be absent even on a
  // host without it, it wants that on every host.
  const none = (facts: Facts): Values => collect(facts, (fact) => (isRan(fact) ? false : absent));
  const last = tryAssumption(task, params, none, new Set());
  const gone = last === undefined || last === "refused" ? [] : last.filter(({ wanted }) => wanted === absent);
  return gone.length === 0 && isRefused ? "refused" : byKey(gone);
}

/**
 * True if at least one part of the task's second answer repeats its first answer and contradicts the state in which the
 * play leaves the host.
 */
function insists(first: unknown, again: unknown, left: unknown): boolean {
  if (!contradict(left, again)) return false;
  if (isRecord(again) && isRecord(left)) {
    return isRecord(first) && Object.keys(again).some((key) => insists(first[key], again[key], left[key]));
  }
  if (isRecord(again) && left === absent) return isRecord(first);
  return canonical(first) === canonical(again);
}
