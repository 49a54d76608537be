import { walkStages, collect } from "../../core/authoring/evaluate.ts";
import { type Fact, factId, isControllerFact, listFacts, type Question } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { parseParams } from "../../core/params/params.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import { isRan } from "../../core/facts/ran.ts";
import { expandComposite, type Planned, type PlannedTask } from "./plan.ts";

/** All tasks in a plan, including those in rescues and in composites whose params are known. */
export function allTasks(plan: readonly Planned[], lookup: OutputLookup): PlannedTask[] {
  return plan.flatMap((node) => {
    if (node.node === "task") return [node];
    if (node.node === "composite") return allTasks(expandComposite(node, lookup)?.children ?? [], lookup);
    return allTasks([...node.children, ...(node.rescue ?? []), ...(node.always ?? [])], lookup);
  });
}

/**
 * The host facts that tasks name: each thing once, with all facets that any task asks for. Stages are evaluated up to
 * the first one that needs a value unknown to `valueOf`. Waits and the user's own commands are excluded.
 */
export function questionsOfAll(
  tasks: readonly PlannedTask[],
  lookup: OutputLookup,
  valueOf: (view: string) => unknown,
): ReadonlyMap<string, Question> {
  const questions = new Map<string, Question>();
  for (const { call, parsed } of tasks) {
    if (call.module.poll !== undefined) continue;
    try {
      const known = "params" in parsed ? parsed : parseParams(call.module.card.params, call.input, lookup, {});
      if (!("params" in known)) continue;
      walkStages(call.module, known.params, (asked) => {
        const facts = listFacts(asked).map(({ fact }) => fact);
        facts.forEach((fact) => add(questions, fact));
        if (facts.some((fact) => !isRan(fact) && valueOf(viewOf(fact)) === undefined)) return undefined;
        return collect(asked, (fact) => (isRan(fact) ? false : valueOf(viewOf(fact))));
      });
    } catch {
      // The failure will be reported when the task's turn comes.
    }
  }
  return questions;
}

function add(questions: Map<string, Question>, fact: Fact): void {
  if (isControllerFact(fact) || isRan(fact)) return;
  const { neverAhead, harmless } = kindOf(fact.kind);
  if (neverAhead === true || harmless?.(fact) === false) return;
  const view = viewOf(fact);
  const facets = new Set([...fact.facets, ...(questions.get(view)?.facets ?? [])]);
  questions.set(view, { ...fact, facets: [...facets].toSorted() });
}

/** The key of a view. A thing has a plain view and a secret view; in the secret view, only a hash leaves the host. */
function viewOf(fact: Fact): string {
  return !isControllerFact(fact) && fact.secret === true ? `${factId(fact)}#secret` : factId(fact);
}
