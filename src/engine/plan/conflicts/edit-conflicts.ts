import { merge } from "../../../core/facts/compare.ts";
import { isFurrowError } from "../../../core/errors.ts";
import { askStages, collect } from "../../../core/authoring/evaluate.ts";
import { type Fact, type Facts, isControllerFact, listFacts } from "../../../core/facts/fact.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import { Refusal } from "../../../core/authoring/refusal.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import type { PlannedTask } from "../plan.ts";
import type { Comparison, TreeTask } from "../controller-trees.ts";

/** One task's want for one fact. */
export interface EditClaim {
  readonly wanted: unknown;
  readonly task: PlannedTask;
}

/** Two tasks that would undo each other in every run, and the fact that both change. */
export interface EditConflict {
  readonly id: string;
  readonly first: EditClaim;
  readonly second: EditClaim;
}

type FactsOf = (task: PlannedTask) => Facts | undefined;

/** The tasks that may determine the content of one file. */
interface EditedFile {
  readonly id: string;
  readonly tasks: Set<PlannedTask>;
  edited: boolean;
}

/**
 * Applies tasks that change parts of one file (lines, blocks) twice, starting from an empty file. A task that also
 * changes the file in the second round undoes a later task's change, and would do so in every run. A tree on the
 * controller determines the content of each of its files. `factsOf` returns the facts of a task's first stage.
 */
export function editConflict(
  tasks: readonly PlannedTask[],
  factsOf: FactsOf,
  comparison: Comparison,
): EditConflict | undefined {
  const files = new Map<string, EditedFile>();
  for (const task of tasks) {
    for (const asked of Object.values(factsOf(task) ?? {})) {
      const fact = asked as Fact;
      if (Array.isArray(asked) || isControllerFact(fact) || fact.kind !== "file") continue;
      const id = comparison.idOf(task, fact);
      const key = `${task.target} ${id}`;
      const known = files.get(key) ?? { id, tasks: new Set<PlannedTask>(), edited: false };
      known.tasks.add(task);
      known.edited ||= fact.facets.includes("text") || fact.facets.includes("hidden");
      files.set(key, known);
    }
  }
  const trees = tasks.flatMap((task) => treeTask(task, factList(factsOf(task)), comparison) ?? []);
  const order = new Map(tasks.map((task, index) => [task, index]));
  for (const [key, { id, tasks: named, edited }] of files) {
    const target = key.slice(0, key.length - id.length - 1);
    const texts = new Map<PlannedTask, string>();
    for (const tree of trees) {
      if (tree.task.target !== target || !id.startsWith(`file:${tree.root}/`)) continue;
      const text = comparison.treeText(tree.request, id.slice(`file:${tree.root}/`.length));
      if (text !== undefined) texts.set(tree.task, text);
    }
    const all = [...new Set([...named, ...texts.keys()])].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    if (all.length < 2 || (!edited && texts.size === 0)) continue;
    const found = flappingIfKnown(id, all, (task, state) => {
      const text = texts.get(task);
      return text === undefined ? wantOf(task, id, factsOf(task) ?? {}, state, comparison) : { type: "file", text };
    });
    if (found) return found;
  }
  return undefined;
}

/**
 * Describes the tree that a task copies from the controller, according to the facts of the task's first stage;
 * undefined for other tasks.
 */
export function treeTask(task: PlannedTask, facts: readonly Fact[], { idOf }: Comparison): TreeTask | undefined {
  const host = facts.find((fact) => !isControllerFact(fact) && fact.kind === "tree");
  const source = facts.find((fact) => isControllerFact(fact) && fact.driver === "tree");
  if (host === undefined || source === undefined || !isControllerFact(source)) return undefined;
  return { task, root: idOf(task, host).slice("tree:".length), request: source.request };
}

function factList(facts: Facts | undefined): Fact[] {
  return listFacts(facts ?? {}).map(({ fact }) => fact);
}

const imagined = { mode: "0644", owner: "root", group: "root" };

type WantOf = (task: PlannedTask, state: unknown) => unknown;

/** Text with a secret that has not been read yet cannot be compared here; the run compares it. */
function flappingIfKnown(...of: Parameters<typeof findUndoing>): EditConflict | undefined {
  try {
    return findUndoing(...of);
  } catch (error) {
    if (isFurrowError(error)) return undefined;
    throw error;
  }
}

/** Simulates two rounds; finds a task that still changes the file in the second one. */
function findUndoing(id: string, tasks: readonly PlannedTask[], want: WantOf): EditConflict | undefined {
  let state: unknown = { type: "file", ...imagined, text: "" };
  const changes: EditClaim[] = [];
  for (const round of [1, 2]) {
    for (const task of tasks) {
      const wanted = want(task, state);
      if (wanted === undefined || textOf(wanted, state) === textOf(state, state)) continue;
      const claim = { wanted, task };
      if (round === 2) {
        const other = changes.findLast(
          (one) => one.task !== task && textOf(one.wanted, state) !== textOf(wanted, state),
        );
        if (other) return { id, first: other, second: claim };
      }
      changes.push(claim);
      state = wanted === absent ? absent : merge(state === absent ? imagined : state, wanted);
    }
  }
  return undefined;
}

/**
 * The state that a task would want for a file whose current state is `state`; undefined if it wants nothing, refuses,
 * or needs a real host to decide.
 */
function wantOf(task: PlannedTask, id: string, facts: Facts, state: unknown, { idOf }: Comparison): unknown {
  if (!("params" in task.parsed)) return undefined;
  const value = (fact: Fact): unknown => {
    if (idOf(task, fact) === id) return state;
    return !isControllerFact(fact) && fact.kind === "removal" ? absent : { type: "directory", ...imagined };
  };
  try {
    const values = collect(facts, value);
    const stages = askStages(task.call.module, task.parsed.params);
    stages.next();
    for (let stage = stages.next(values); stage.done !== true; stage = stages.next(values)) {
      if (Object.keys(stage.value).some((name) => !(name in facts))) return undefined;
    }
    const want = task.call.module.want(task.parsed.params as never, values as never);
    if (want instanceof Refusal) return undefined;
    const name = Object.entries(facts).find(([, fact]) => !Array.isArray(fact) && idOf(task, fact as Fact) === id)?.[0];
    return name === undefined ? undefined : want[name];
  } catch {
    // The task needs a value that only a real host has, or its secret has not been read yet.
    return undefined;
  }
}

/**
 * The file's text after a want: the current text if the want does not set the text, `absent` if the file is removed.
 */
function textOf(wanted: unknown, state: unknown): unknown {
  if (wanted === absent) return absent;
  const text = isRecord(wanted) ? wanted["text"] : undefined;
  const left = text ?? (isRecord(state) ? state["text"] : text);
  return typeof left === "string" ? reveal(left) : left;
}
