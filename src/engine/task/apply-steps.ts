import { differences } from "../../core/facts/compare.ts";
import { type Failure, FurrowError } from "../../core/errors.ts";
import type { Bound } from "../../core/authoring/evaluate.ts";
import { type Fact, factId, type FactPattern, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import type { Step } from "../../core/host/step.ts";
import { isRan } from "../../core/facts/ran.ts";
import { type AttemptContext, type AttemptResult, type TaskFacts, valuesNow } from "./task-context.ts";
import { effectsOf, toReadAgain } from "./effects.ts";
import type { ForeseenChange, WantDecision } from "../plan/foreseen-change.ts";
import type { Host } from "../host/host.ts";
import { inFrame } from "../../core/host/step.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { readFacts } from "../host/read-facts.ts";
import { performNow } from "./perform-now.ts";
import { type PerformedTask, WrongForecast } from "./performer.ts";
import { orInterruption } from "./results/killed-step.ts";
import { withRightsHint } from "./rights/failed-step.ts";
import { takeEarly } from "./results/take-early.ts";
import { valueText } from "../plan/value-text.ts";

/**
 * In a run: performs the steps of a task and verifies them. With `--confirm-within`, the host reverts a change that
 * cuts the connection.
 */
export async function applyChange(
  planned: PlannedTask,
  params: unknown,
  taskFacts: TaskFacts,
  decision: WantDecision,
  steps: readonly Step[],
  context: AttemptContext,
): Promise<AttemptResult> {
  const confirm = context.simulation ? undefined : context.confirm;
  const ways = confirm?.waysOf(decision.facts, steps, context.host);
  const act = (): Promise<AttemptResult> =>
    applySteps(planned, params, taskFacts, decision, { steps, isAlone: ways !== undefined }, context);
  if (confirm === undefined) return act();
  if (ways === undefined) return confirm.unguarded(planned, decision.facts, steps, context, act);
  await leaveFrame(planned, context);
  return confirm.guarded(planned, decision.facts, ways, context, act);
}

/**
 * Performs the steps, re-reads the task's facts in the same frame, and checks them against the task's want.
 */
async function applySteps(
  planned: PlannedTask,
  params: unknown,
  taskFacts: TaskFacts,
  decision: WantDecision,
  { steps, isAlone }: { readonly steps: readonly Step[]; readonly isAlone: boolean },
  context: AttemptContext,
): Promise<AttemptResult> {
  const { host, performer, signal } = context;
  const { facts } = decision;
  if (steps.length === 0) throw noSteps(facts);
  const early = await takeEarly(planned, steps, facts, context);
  if (early !== undefined) {
    verify(facts, host);
    return { outcome: "changed", changes: early.changes, values: taskFacts.values, results: early.results };
  }
  await context.beforeChange?.(planned, steps, context);
  performer.found("different");
  const change = { task: planned, params, facts: taskFacts.facts, decision, steps };
  const patterns = toReadAgain(effectsOf(planned, params, steps, facts, host.knowledge.names));
  const isSentAhead = !isAlone && !context.simulation && !context.paranoia && steps.every(inFrame);
  const { changes, results, failed, errors, held } = isSentAhead
    ? await performer.perform(change, taskFacts.values, patterns, context)
    : await performAlone(change, patterns, context);
  const own = listFacts(taskFacts.facts).map(({ fact }) => fact);
  if (failed) {
    if (results.length === steps.length) context.onFailedStep(results);
    host.knowledge.forgetFacts(own);
    throw await withRightsHint(orInterruption(failed, results, signal), planned, steps, facts, context);
  }
  const readable = own.filter((fact) => !isRan(fact));
  const controller = readable.filter(isControllerFact);
  if (controller.length > 0) {
    for (const [id, error] of await readFacts(controller, host, context.drivers, signal)) errors.set(id, error);
  }
  const unreadable = readable.map((fact) => errors.get(factId(fact))).find(Boolean);
  if (unreadable) throw unreadable;
  verify(facts, host, held);
  return { outcome: "changed", changes, values: valuesAfter(taskFacts, host, held), results };
}

/**
 * Performs steps that cannot be sent ahead. Throws WrongForecast if a frame with steps of later tasks is running,
 * because the frame's forecast said that this task changes nothing.
 */
async function performAlone(
  change: ForeseenChange,
  patterns: readonly FactPattern[],
  context: AttemptContext,
): Promise<PerformedTask> {
  await leaveFrame(change.task, context);
  return performNow(change, patterns, context);
}

async function leaveFrame(task: PlannedTask, { performer }: AttemptContext): Promise<void> {
  if (!performer.isBusy) return;
  await performer.abandon();
  throw new WrongForecast(task.id);
}

function valuesAfter(taskFacts: TaskFacts, host: Host, held?: ReadonlyMap<string, unknown>): TaskFacts["values"] {
  const after = Object.entries(valuesNow(taskFacts.facts, host, held)).filter(([, value]) => value !== undefined);
  return { ...taskFacts.values, ...Object.fromEntries(after) };
}

/**
 * Throws E_NOT_CONVERGED if a fact does not match the task's want. The error names the fact, its current value and the
 * wanted value.
 */
function verify(facts: readonly Bound[], host: Host, held?: ReadonlyMap<string, unknown>): void {
  for (const { fact, id, bound } of facts) {
    if (isRan(fact) || bound === undefined) continue;
    const known = host.knowledge.lookup(fact);
    const found = known === undefined ? held?.get(factId(fact)) : known.value;
    const [difference] = differences(found, bound);
    if (difference === undefined) continue;
    const told = found === undefined ? undefined : failureOfKind(fact, found);
    if (told !== undefined) throw new FurrowError("E_NOT_CONVERGED", told);
    const part = difference.path === "" ? id : `${difference.path} of ${id}`;
    throw new FurrowError("E_NOT_CONVERGED", {
      what: `all steps have finished, but ${part} is not in the desired state`,
      current: show(fact, difference.from),
      expected: show(fact, difference.to),
      hint: "Look at the host: something undoes the change, or the task's steps do not have the wanted effect",
    });
  }
}

function failureOfKind(fact: Fact, value: unknown): Failure | undefined {
  if (isControllerFact(fact) || fact.secret === true) return undefined;
  return kindOf(fact.kind).failed?.(fact.key, { value });
}

function show(fact: Fact, value: unknown): string {
  return !isControllerFact(fact) && fact.secret === true ? "«secret»" : valueText(value, 300);
}

function noSteps(facts: readonly Bound[]): FurrowError {
  const wrong = facts.filter(({ match }) => match !== "same");
  return new FurrowError("E_NOT_CONVERGED", {
    what: `${wrong.map(({ id }) => id).join(", ")} is not in the desired state, but the task has no step that changes it`,
    hint: "Fix the task module: its steps must set everything that its want names",
  });
}
