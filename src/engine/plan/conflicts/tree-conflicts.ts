import { contradict } from "../../../core/facts/compare.ts";
import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { type EditClaim, type EditConflict, treeTask } from "./edit-conflicts.ts";
import type { Comparison, TreeTask } from "../controller-trees.ts";
import type { PlannedTask } from "../plan.ts";
import { treeWant } from "./tree-wants.ts";

/** Functions that return the wants of tasks before anything is known about a host. */
interface Asking {
  /** The facts of a task's first stage. */
  readonly factsOf: (task: PlannedTask) => readonly Fact[];
  /** The value that a task wants for a fact, by the fact's id; undefined if it wants nothing or cannot tell yet. */
  readonly wantOf: (task: PlannedTask, id: string) => unknown;
  readonly comparison: Comparison;
}

/**
 * Finds a tree from the controller and another task that wants one of the tree's files or directories to have a
 * different mode, owner or type. If the other task also copies a tree, different content is a conflict as well.
 */
export function treeConflict(tasks: readonly PlannedTask[], asking: Asking): EditConflict | undefined {
  const trees = tasks.flatMap((task) => treeTask(task, asking.factsOf(task), asking.comparison) ?? []);
  const order = new Map(tasks.map((task, index) => [task, index]));
  for (const tree of trees) {
    for (const task of tasks) {
      if (task === tree.task || task.target !== tree.task.target) continue;
      const found = conflictWithTask(tree, task, asking) ?? conflictWithTree(tree, task, asking);
      if (found === undefined) continue;
      const isLater = (order.get(tree.task) ?? 0) > (order.get(task) ?? 0);
      return isLater ? { ...found, first: found.second, second: found.first } : found;
    }
  }
  return undefined;
}

function conflictWithTask(
  tree: TreeTask,
  task: PlannedTask,
  { factsOf, wantOf, comparison }: Asking,
): EditConflict | undefined {
  for (const fact of factsOf(task)) {
    if (isControllerFact(fact) || fact.kind !== "file") continue;
    const id = comparison.idOf(task, fact);
    const below = belowOf(tree.root, id.slice("file:".length));
    const entry = below && (below === "." ? {} : comparison.treeEntry(tree.request, below));
    if (below === undefined || !entry) continue;
    const wanted = treeWant(tree, { entries: below === "." ? {} : { [below]: entry } })?.entries[below];
    const found = wanted && apart(id, { task: tree.task, wanted }, { task, wanted: wantOf(task, id) });
    if (found) return found;
  }
  return undefined;
}

/** Compares two trees if the root of the second tree is at or below the root of the first tree. */
function conflictWithTree(
  tree: TreeTask,
  task: PlannedTask,
  { factsOf, comparison }: Asking,
): EditConflict | undefined {
  const other = treeTask(task, factsOf(task), comparison);
  const at = other && belowOf(tree.root, other.root);
  if (other === undefined || at === undefined) return undefined;
  const mine = (name: string): string => (at === "." ? name : name === "." ? at : `${at}/${name}`);
  const names = [".", ...(comparison.treeNames(other.request) ?? [])];
  const both = names.flatMap((name) => {
    const [entry, own] = [other, tree].map(({ request }, index) => {
      const path = index === 0 ? name : mine(name);
      return path === "." ? {} : comparison.treeEntry(request, path);
    });
    return entry && own ? [{ name, entry, own }] : [];
  });
  const entriesOf = (list: readonly (readonly [string, object])[]): Readonly<Record<string, object>> =>
    Object.fromEntries(list.filter(([name]) => name !== "."));
  const first = treeWant(tree, { entries: entriesOf(both.map(({ name, own }) => [mine(name), own])) });
  const second = treeWant(other, { entries: entriesOf(both.map(({ name, entry }) => [name, entry])) });
  for (const { name } of both) {
    const id = `file:${name === "." ? other.root : `${other.root}/${name}`}`;
    const text = (one: TreeTask, path: string): object => ({ text: comparison.treeText(one.request, path) });
    const found = apart(
      id,
      { task: tree.task, wanted: { ...first?.entries[mine(name)], ...text(tree, mine(name)) } },
      { task, wanted: { ...second?.entries[name], ...text(other, name) } },
    );
    if (found) return found;
  }
  return undefined;
}

/** The path relative to a root, `.` for the root itself; undefined if the path is not below the root. */
function belowOf(root: string, path: string): string | undefined {
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** The parts in which two wants contradict each other. Ignores hashes, because no content was read. */
function apart(id: string, first: EditClaim, second: EditClaim): EditConflict | undefined {
  const [a, b] = [first.wanted, second.wanted];
  if (!isRecord(a) || !isRecord(b)) return undefined;
  const keys = ["type", "mode", "owner", "group", "target", "text"].filter(
    (key) => a[key] !== absent && b[key] !== absent && contradict(a[key], b[key]),
  );
  if (keys.length === 0) return undefined;
  const only = (wanted: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(keys.map((key) => [key, wanted[key]]));
  return { id, first: { ...first, wanted: only(a) }, second: { ...second, wanted: only(b) } };
}
