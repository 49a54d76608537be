import { differences } from "../../../core/facts/compare.ts";
import type { PlannedTask } from "../plan.ts";
import type { EditConflict } from "./edit-conflicts.ts";

/** Finds two of these tasks that would undo each other in every run. */
type FindConflict = (tasks: readonly PlannedTask[]) => EditConflict | undefined;

/**
 * Finds two tasks that would undo each other in every run, apart from pairs whose earlier task is marked `temporary`:
 * with this mark, the user declares that a later task changes that state. An earlier task may also want what the
 * temporary task changes, if a later task restores it.
 */
export function lastingConflict(tasks: readonly PlannedTask[], find: FindConflict): EditConflict | undefined {
  const lasting = tasks.filter((task, at) => {
    if (!isTemporary(task)) return true;
    // A state that nothing changes later is compared like the state of any other task.
    return !tasks.slice(at + 1).some((later) => meet(task, later, find) !== undefined);
  });
  const found = find(lasting);
  if (found !== undefined || lasting.length === tasks.length) return found;
  const kept = new Set(lasting);
  for (const [at, task] of tasks.entries()) {
    if (kept.has(task)) continue;
    const restored = tasks.slice(at + 1).flatMap((later) => meet(task, later, find) ?? []);
    for (const earlier of tasks.slice(0, at)) {
      const undone = isTemporary(earlier) ? undefined : meet(earlier, task, find);
      if (undone !== undefined && !restores(restored, undone)) return undone;
    }
  }
  return undefined;
}

function isTemporary(task: PlannedTask): boolean {
  return task.call.options.temporary === true;
}

/** The conflict between two tasks, if there is one. */
function meet(first: PlannedTask, second: PlannedTask, find: FindConflict): EditConflict | undefined {
  return first.target === second.target ? find([first, second]) : undefined;
}

/** True if later tasks change every part of the thing that a temporary task changed. */
function restores(later: readonly EditConflict[], undone: EditConflict): boolean {
  const changed = new Set(later.filter(({ id }) => id === undone.id).flatMap(partsOf));
  return changed.has("") || partsOf(undone).every((part) => changed.has(part));
}

function partsOf({ first, second }: EditConflict): string[] {
  return differences(first.wanted, second.wanted).map(({ path }) => path);
}
