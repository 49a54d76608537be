import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import { match } from "../../../core/facts/compare.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { Kept } from "../../../core/authoring/task-definition.ts";
import { labelOf, type PlannedTask } from "../plan.ts";

/** A task, and a thing that it manages. */
interface Keeper {
  readonly task: PlannedTask;
  readonly kept: Kept;
}

/** The things that a task manages according to its params alone. */
export function keptByParams({ call, parsed }: PlannedTask): readonly Kept[] {
  return "params" in parsed ? (call.module.card.keeps?.(parsed.params) ?? []) : [];
}

/**
 * Throws FurrowError E_CONFLICTING_WANTS if two tasks manage one thing in different ways: they would undo each other in
 * every run. A task that is marked `temporary` counts only if it is the last one that manages the thing.
 */
export function refuseTwoKeepers(
  tasks: readonly PlannedTask[],
  keptBy: (task: PlannedTask) => readonly Kept[] = keptByParams,
): void {
  const keepers = new Map<string, Keeper[]>();
  for (const task of tasks) {
    for (const kept of keptBy(task)) {
      const others = keepers.get(kept.id);
      if (others === undefined) keepers.set(kept.id, [{ task, kept }]);
      else others.push({ task, kept });
    }
  }
  for (const all of keepers.values()) {
    const [first, ...rest] = all.filter(
      ({ task }, at) => task.call.options.temporary !== true || at === all.length - 1,
    );
    if (first === undefined) continue;
    for (const other of rest) {
      const part = differing(first.kept.as, other.kept.as);
      if (part !== undefined) throw keptTwice(first, other, part);
    }
  }
}

/**
 * The path of the first part in which two values differ, empty if they differ as a whole; undefined if they are equal.
 */
function differing(a: unknown, b: unknown, path = ""): string | undefined {
  if (isRecord(a) && isRecord(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const part = path === "" ? key : `${path}.${key}`;
      if (Object.hasOwn(a, key) !== Object.hasOwn(b, key)) return part;
      const found = differing(a[key], b[key], part);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  try {
    return match(a, b) === "differs" ? path : undefined;
  } catch (error) {
    // A secret is not known before the run; the tasks are compared again during the run.
    if (isFurrowError(error) && error.code === "E_SECRET") return undefined;
    throw error;
  }
}

function keptTwice(first: Keeper, second: Keeper, part: string): FurrowError {
  const { source } = second.task.call;
  return new FurrowError("E_CONFLICTING_WANTS", {
    what: `two tasks manage ${first.kept.name} in different ways: they would undo each other in every run`,
    where: { task: labelOf(second.task, second.task.target).title, ...(source !== undefined && { source }) },
    details: [
      `it is managed by ${placeOf(first)}`,
      `and by ${placeOf(second)}`,
      ...(part === "" ? [] : [`they differ in ${part}`]),
    ],
    hint: "Manage it in one of them only, or mark the first `temporary: true` if the second must change it",
  });
}

function placeOf({ task, kept }: Keeper): string {
  const { title } = labelOf(task, task.target);
  const from = task.call.source === undefined ? title : `${title} at ${task.call.source}`;
  return kept.place === undefined ? from : `${from}, in ${kept.place}`;
}
