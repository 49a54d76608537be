import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { type EditConflict, treeTask } from "./edit-conflicts.ts";
import type { Comparison } from "../controller-trees.ts";
import type { PlannedTask } from "../plan.ts";
import { purges } from "./purge-conflicts.ts";

/** A path that a task names. */
interface Named {
  readonly task: PlannedTask;
  readonly path: string;
  /** The path to compare: the same path, or a path below it. */
  readonly below: string;
  /** True if the task creates the path, although none of its wanted facts is about that path. */
  readonly brought: boolean;
}

/** A placeholder name. No source contains this name, so a pattern matches it only if the pattern matches any name. */
const anyName = "\u0001";

/** Functions that return the wants of tasks before anything is known about a host. */
interface Asking {
  /** The facts of a task's first stage. */
  readonly factsOf: (task: PlannedTask) => readonly Fact[];
  /** The value that a task wants for a fact, by the fact's id; undefined if it wants nothing or cannot tell yet. */
  readonly wantOf: (task: PlannedTask, id: string) => unknown;
  readonly comparison: Comparison;
}

/**
 * Finds a task that removes a directory and another task that manages something in it: they would undo each other in
 * every run. A task that removes something asks what else would be removed with it (`removal:`). Also finds a tree that
 * removes paths that its source lacks.
 */
export function removalConflict(tasks: readonly PlannedTask[], asking: Asking): EditConflict | undefined {
  const { factsOf, comparison } = asking;
  const removers = tasks.flatMap((task) => named(task, "removal", asking));
  const trees = tasks.flatMap((task) => treeTask(task, factsOf(task), comparison) ?? []);
  if (removers.length + trees.length === 0) return undefined;
  for (const task of tasks) {
    const wanted = [...named(task, "file", asking), ...named(task, "tree", asking)];
    for (const { path, below, brought } of [...wanted, ...broughtBy(task, comparison)]) {
      const isOther = (other: { readonly task: PlannedTask }): boolean =>
        other.task !== task && other.task.target === task.target;
      const remover =
        removers.find((other) => isOther(other) && (isBelow(below, other.path) || (brought && other.path === below))) ??
        trees.find((other) => isOther(other) && purges(other, below, comparison));
      if (remover === undefined || !(brought || keeps(task, path, asking))) continue;
      const kept = { task, wanted: "present" };
      const gone = { task: remover.task, wanted: absent };
      const isLater = tasks.indexOf(remover.task) > tasks.indexOf(task);
      return { id: `file:${path}`, first: isLater ? kept : gone, second: isLater ? gone : kept };
    }
  }
  return undefined;
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/**
 * The paths that a task creates without having a want for them (`brings` in its card). The names below a directory are
 * not known; a placeholder represents all of them.
 */
function broughtBy(task: PlannedTask, { idOf }: Comparison): Named[] {
  const { call, parsed } = task;
  if (!("params" in parsed)) return [];
  return (call.module.card.brings?.(parsed.params) ?? []).map((pattern) => {
    const isAny = pattern.endsWith("/**");
    const path = isAny ? pattern.slice(0, -"/**".length) : pattern;
    const real = idOf(task, { kind: "file", key: path, facets: [] }).slice("file:".length);
    return { task, path: real, below: isAny ? `${real}/${anyName}` : real, brought: true };
  });
}

/**
 * True if a task wants something to be at a path: either its want says so, or it copies the path from a source on the
 * controller that has not been read yet.
 */
function keeps(task: PlannedTask, path: string, { factsOf, wantOf }: Asking): boolean {
  if (isRecord(wantOf(task, `file:${path}`))) return true;
  const brings = factsOf(task).some((fact) => isControllerFact(fact) && ["file", "tree"].includes(fact.driver));
  const first = factsOf(task).find((fact) => !isControllerFact(fact) && ["file", "tree"].includes(fact.kind));
  return brings && first !== undefined && !isControllerFact(first) && first.key === path;
}

function named(task: PlannedTask, kind: string, { factsOf, comparison }: Asking): Named[] {
  return factsOf(task).flatMap((fact) => {
    if (isControllerFact(fact) || fact.kind !== kind) return [];
    const path = comparison.idOf(task, fact).slice(kind.length + 1);
    return [{ task, path, below: path, brought: false }];
  });
}
