import type { Bound } from "../../../core/authoring/evaluate.ts";
import { removableBy } from "../../../core/facts/access.ts";
import { factId } from "../../../core/facts/fact.ts";
import type { Step } from "../../../core/host/step.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { AttemptResult } from "../task-context.ts";
import { removableAt, removedTrees } from "./asked-rights.ts";
import { notAllowed } from "./step-rules.ts";

/**
 * Check mode: throws E_REFUSED if a user other than root is not allowed to remove something in a tree that a step
 * removes. Reports an unknown result if the tree contains a directory that the user cannot read (which may or may not
 * be empty), or if the tree is too large to search completely.
 */
export function requireRemovableTrees(
  task: PlannedTask,
  facts: readonly Bound[],
  steps: readonly Step[],
  { knowledge, user }: { readonly knowledge: Knowledge; readonly user: string | undefined },
): AttemptResult["dependsOn"] {
  for (const tree of removedTrees(task, facts, steps, user)) {
    const found = removableAt(tree.user, tree.path, knowledge);
    if (found === undefined) continue;
    const name = tree.user ?? user ?? "root";
    const actor = {
      name,
      asRoot: task.become === undefined ? 'Add become: "root" to the task or the play' : 'Set become: "root"',
    };
    if (found.denied !== undefined) throw notAllowed(actor, "unwritable", `remove what is in ${found.denied}`);
    if (found.sticky !== undefined) {
      const current = "another user's entry in a sticky directory";
      throw notAllowed(actor, "unwritable", `remove ${found.sticky}`, { current });
    }
    if (found.shut !== undefined || found.slow)
      return { task: "itself", facts: [factId(removableBy(tree.user, tree.path))] };
  }
  return undefined;
}
