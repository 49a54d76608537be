import { type Fact, isControllerFact } from "../../../core/fact.ts";
import { isKind, kindOf } from "../../../core/kind.ts";
import { isRecord } from "../../../core/symbols.ts";
import type { EditClaim, EditConflict } from "./edit-conflicts.ts";
import type { View } from "../controller-trees.ts";
import type { PlannedTask } from "../plan.ts";

/** What is asked of tasks before anything is known of a host. */
interface Asking {
  /** The facts that a task names first. */
  readonly factsOf: (task: PlannedTask) => readonly Fact[];
  /** What it wants of a fact, by the id of the fact; undefined where it cannot tell, or wants nothing of it. */
  readonly wantOf: (task: PlannedTask, id: string) => unknown;
  readonly view: View;
}

interface Claim extends EditClaim {
  readonly fact: Fact;
}

/** Two wants of one thing in parts of different names, of which one undoes the other, as the thing's kind knows. */
export function undoneConflict(
  tasks: readonly PlannedTask[],
  { factsOf, wantOf, view }: Asking,
): EditConflict | undefined {
  const claims = new Map<string, Claim[]>();
  for (const task of tasks) {
    for (const fact of factsOf(task)) {
      if (isControllerFact(fact) || !isKind(fact.kind) || kindOf(fact.kind).undoes === undefined) continue;
      const id = view.idOf(task, fact);
      const earlier = claims.get(`${task.target} ${id}`) ?? [];
      const second = { task, fact, wanted: wantOf(task, id) };
      const first = earlier.find((one) => undo(one, second));
      // Each want is shown whole: they have no part in common.
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
