import { factChanges, shownValues } from "../task/fact-changes.ts";
import type { EarlySteps, PerformedTask } from "../task/performer.ts";
import type { AttemptContext } from "../task/task-context.ts";
import { titleOf, type SentFrame, type SentTask } from "./sent-frame.ts";

/** The steps of one task that the host performed because of a wrong forecast. */
interface EarlyPart {
  readonly frame: SentFrame;
  readonly part: SentTask;
}

/**
 * Steps that the host has performed before their tasks' turns, because a forecast was wrong. Each task takes its
 * results in its turn, so no step runs twice. Until all results are taken, no other task may act, because it would act
 * after tasks that come later in the plan.
 */
export class EarlyResults {
  readonly #left = new Map<string, EarlyPart>();

  /** Adds steps that the host has performed. */
  add(frame: SentFrame, parts: readonly SentTask[]): void {
    for (const part of parts) this.#left.set(part.task, { frame, part });
  }

  /** The titles of the tasks that have not taken their results. */
  get titles(): readonly string[] {
    return [...this.#left.values()].map(({ part }) => titleOf(part));
  }

  /**
   * The steps that the host has already performed for a task; they then count as taken. Undefined if it has performed
   * none.
   */
  take(task: string): EarlySteps<AttemptContext> | undefined {
    const early = this.#left.get(task);
    if (early === undefined) return undefined;
    this.#left.delete(task);
    return { steps: early.part.change.steps, results: (context) => resultsOf(early, context) };
  }
}

/** The results of steps that have ended, with the events that the steps would have caused in the task's turn. */
async function resultsOf({ frame, part }: EarlyPart, context: AttemptContext): Promise<PerformedTask> {
  const shown = part.shown === undefined ? undefined : shownValues(await frame.reading(part.shown));
  const changes = factChanges(part.change.decision.facts, context.diff, shown);
  for (const step of part.change.steps) context.onStep(step);
  const acted = await frame.stepsResult(part, context.onOutput);
  const { results, failed } = acted.item === "steps" ? acted : { results: [], failed: undefined };
  return { changes, results, failed: failed?.error, errors: new Map() };
}
