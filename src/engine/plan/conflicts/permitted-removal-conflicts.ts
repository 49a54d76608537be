import { type Fact, factId, isControllerFact } from "../../../core/facts/fact.ts";
import { kindOf } from "../../../core/facts/kind.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import type { EditConflict } from "./edit-conflicts.ts";
import type { Comparison } from "../controller-trees.ts";
import type { PlannedTask } from "../plan.ts";

/** Functions that return the wants of tasks before anything is known about a host. */
interface Asking {
  /** The facts of a task's first stage. */
  readonly factsOf: (task: PlannedTask) => readonly Fact[];
  /** The value that a task wants for a fact, by the fact's id; undefined if it wants nothing or cannot tell yet. */
  readonly wantOf: (task: PlannedTask, id: string) => unknown;
  readonly comparison: Comparison;
}

/**
 * Finds a task that may remove a thing, because the playbook's author allows it, and another task that wants the thing.
 * If the first task removes it, the second one restores it in every run, or fails after the first one has acted.
 */
export function permittedRemovalConflict(
  tasks: readonly PlannedTask[],
  { factsOf, wantOf, comparison }: Asking,
): EditConflict | undefined {
  for (const [at, taker] of tasks.entries()) {
    for (const fact of takenBy(taker)) {
      const keeper = tasks.find(
        (other) =>
          other !== taker &&
          other.target === taker.target &&
          factsOf(other).some((named) => comparison.idOf(other, named) === factId(fact)) &&
          keeps(fact, wantOf(other, factId(fact))),
      );
      if (keeper === undefined) continue;
      const kept = { task: keeper, wanted: "present" };
      const gone = { task: taker, wanted: absent };
      const isLater = tasks.indexOf(keeper) > at;
      return { id: factId(fact), first: isLater ? gone : kept, second: isLater ? kept : gone };
    }
  }
  return undefined;
}

function takenBy({ call, parsed }: PlannedTask): readonly Fact[] {
  return "params" in parsed ? (call.module.card.mayTakeAway?.(parsed.params) ?? []) : [];
}

function keeps(fact: Fact, wanted: unknown): boolean {
  if (!isRecord(wanted) || isControllerFact(fact)) return false;
  return kindOf(fact.kind).isThere?.(wanted) ?? true;
}
