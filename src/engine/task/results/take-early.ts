import type { Bound } from "../../../core/authoring/evaluate.ts";
import { sameData } from "../../../core/facts/compare.ts";
import { FurrowError } from "../../../core/errors.ts";
import type { Step } from "../../../core/host/step.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { PerformedTask } from "../performer.ts";
import { orInterruption } from "./killed-step.ts";
import { withRightsHint } from "../rights/failed-step.ts";
import type { AttemptContext } from "../task-context.ts";

/**
 * In a run: the results of a task's steps if the host has performed them too early, because of a wrong forecast.
 * `steps`: the steps that the task needs now; undefined if it needs none. Throws E_REFUSED if the task would act after
 * later tasks, or if the host has performed different steps for it.
 */
export async function takeEarly(
  planned: PlannedTask,
  steps: readonly Step[] | undefined,
  facts: readonly Bound[],
  context: AttemptContext,
): Promise<PerformedTask | undefined> {
  const { performer, signal } = context;
  const early = performer.takeEarly(planned.id);
  if (early === undefined) {
    if (steps !== undefined && performer.performedEarly.length > 0) throw tooLate(performer.performedEarly);
    return undefined;
  }
  if (steps !== undefined && !sameData(early.steps, steps)) throw otherSteps();
  const done = await early.results(context);
  if (done.failed)
    throw await withRightsHint(orInterruption(done.failed, done.results, signal), planned, early.steps, facts, context);
  return done;
}

const hint = "Check the host, then rerun with --one-by-one; if this happens again, please report it";

function tooLate(titles: readonly string[]): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: "the task would act too late: the host has already performed the steps of later tasks, because the forecast was wrong",
    current: `performed: ${titles.join(", ")}`,
    hint,
  });
}

function otherSteps(): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: "the steps that the host has performed are not those that the task needs, because the forecast was wrong",
    hint,
  });
}
