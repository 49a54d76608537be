import { askStages, collect } from "../core/evaluate.ts";
import { type Fact, factId, isControllerFact, listFacts, type Question } from "../core/fact.ts";
import { kindOf } from "../core/kind.ts";
import { ranKind } from "../core/ran.ts";
import type { Knowledge } from "./knowledge.ts";
import type { PlannedTask } from "./plan.ts";

/** How many of the coming tasks are read together. It shrinks at a change and doubles with each task that needed none. */
export class Window {
  #size = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#size;
  }

  shrink(): void {
    this.#size = 4;
  }

  grow(): void {
    this.#size *= 2;
  }
}

/**
 * The questions of coming tasks that have no answer yet, as far as their stages can be asked with what is known.
 * Waits, the user's own commands and tasks with open params are left to their turn.
 */
export function questionsAhead(tasks: readonly PlannedTask[], knowledge: Knowledge): Fact[] {
  const questions = new Map<string, Fact>();
  for (const task of tasks) {
    if (task.call.module.poll !== undefined || !("params" in task.parsed) || task.when.includes(false)) continue;
    for (const fact of openFacts(task, task.parsed.params, knowledge)) {
      if (isAheadable(fact)) addQuestion(questions, fact, knowledge);
    }
  }
  return [...questions.values()];
}

/** The facts of the first stage that is not answered yet. Stages that fail or look at unknown values are left to their turn. */
function openFacts(task: PlannedTask, params: unknown, knowledge: Knowledge): Fact[] {
  try {
    const stages = askStages(task.call.module, params);
    let stage = stages.next();
    while (stage.done !== true) {
      const open = listFacts(stage.value).filter(({ fact }) => isOpen(fact, knowledge));
      if (open.length > 0) return open.map(({ fact }) => fact);
      stage = stages.next(collect(stage.value, (fact) => (isRan(fact) ? false : knowledge.lookup(fact)?.value)));
    }
  } catch {
    // Its own turn will show the same failure where it belongs.
  }
  return [];
}

function isOpen(fact: Fact, knowledge: Knowledge): boolean {
  return !isRan(fact) && knowledge.lookup(fact) === undefined;
}

/** True for the fact that the engine answers itself. */
export function isRan(fact: Fact): boolean {
  return !isControllerFact(fact) && fact.kind === ranKind;
}

function isAheadable(fact: Fact): boolean {
  return !isControllerFact(fact) && kindOf(fact.kind).neverAhead !== true;
}

/** Adds a question, joined with what is asked or known of the same thing already. */
export function addQuestion(questions: Map<string, Fact>, fact: Fact, knowledge: Knowledge): void {
  if (isControllerFact(fact)) {
    questions.set(factId(fact), fact);
    return;
  }
  const view = `${factId(fact)}${fact.secret === true ? "#secret" : ""}`;
  const asked = questions.get(view) as Question | undefined;
  const facets = new Set([...fact.facets, ...(asked?.facets ?? []), ...knowledge.facetsOf(fact)]);
  questions.set(view, { ...fact, facets: [...facets].toSorted() });
}
