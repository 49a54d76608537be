import { UnknownValue } from "../../core/facts/compare.ts";
import { stepsOf } from "../../core/authoring/evaluate.ts";
import type { WantDecision } from "../plan/foreseen-change.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { orInterruption } from "./results/killed-step.ts";
import { performNow } from "./perform-now.ts";
import { withBecomeHint } from "./rights/denied-step.ts";
import type { AttemptContext, AttemptResult, TaskFacts } from "./task-context.ts";

/** True if the author of the task promises that its steps change nothing, so the task never counts as changed. */
export function onlyReads(planned: PlannedTask, params: unknown): boolean {
  return planned.call.module.card.readsOnly?.(params) === true;
}

/** True if the task leaves everything as it is, because it has no steps at all or because its steps only read. */
export function changesNothing(planned: PlannedTask, params: unknown): boolean {
  if (planned.call.module.neverActs === true) return true;
  try {
    return onlyReads(planned, params);
  } catch (error) {
    if (error instanceof UnknownValue) return false;
    throw error;
  }
}

/**
 * Check mode: performs the steps of a task that only reads. If an earlier task would change what these steps read, they
 * could print something different in the run, so the task is undecided and its steps are not performed.
 */
export async function performReading(
  planned: PlannedTask,
  params: unknown,
  { facts, values }: TaskFacts,
  decision: WantDecision,
  dependsOn: AttemptResult["dependsOn"],
  context: AttemptContext,
): Promise<AttemptResult> {
  const { host, hostIsMissing, signal } = context;
  const by = hostIsMissing
    ? "a host that does not exist yet"
    : host.knowledge.changes.lastBy(planned.call.module.card.reads?.(params));
  const on = dependsOn ?? (by === undefined ? undefined : { task: by, facts: [] });
  if (on) return { outcome: "undecided", changes: [], dependsOn: on, intends: [], values, results: undefined };
  const steps = stepsOf(planned.call.module, params, facts, values, decision);
  const { results, failed } = await performNow({ task: planned, params, facts, decision, steps }, [], context);
  if (failed && results.length === steps.length) context.onFailedStep(results);
  if (failed) throw withBecomeHint(orInterruption(failed, results, signal), planned, steps, host.user);
  return { outcome: "ok", changes: [], values, results };
}
