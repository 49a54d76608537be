import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import { isKind, kindOf } from "../../../core/facts/kind.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { EditClaim, EditConflict } from "./edit-conflicts.ts";
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

interface Claim extends EditClaim {
  readonly fact: Fact;
}

/**
 * Finds two wants for one thing that set different parts, although one want undoes the other according to the thing's
 * kind (`undoes`).
 */
export function undoneConflict(
  tasks: readonly PlannedTask[],
  { factsOf, wantOf, comparison }: Asking,
): EditConflict | undefined {
  const claims = new Map<string, Claim[]>();
  for (const task of tasks) {
    for (const fact of factsOf(task)) {
      if (isControllerFact(fact) || !isKind(fact.kind) || kindOf(fact.kind).undoes === undefined) continue;
      const id = comparison.idOf(task, fact);
      const earlier = claims.get(`${task.target} ${id}`) ?? [];
      const second = { task, fact, wanted: wantOf(task, id) };
      const first = earlier.find((one) => undo(one, second));
      // The wants have no part in common, so each is shown as a whole.
      if (first)
        return { id, first: { ...first, wanted: [first.wanted] }, second: { ...second, wanted: [second.wanted] } };
      claims.set(`${task.target} ${id}`, [...earlier, second]);
    }
  }
  return undefined;
}

function undo({ fact, wanted }: Claim, second: Claim): boolean {
  if (isControllerFact(fact) || !isRecord(wanted) || !isRecord(second.wanted)) return false;
  const { undoes } = kindOf(fact.kind);
  return undoes?.(wanted, second.wanted) === true || undoes?.(second.wanted, wanted) === true;
}
