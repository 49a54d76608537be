import { differences } from "../../core/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import type { Bound } from "../../core/evaluate.ts";
import { type Fact, factId, type FactPattern, isControllerFact, listFacts } from "../../core/fact.ts";
import { isAdvice } from "../../core/kind.ts";
import type { Step } from "../../core/step.ts";
import { isRan, questionsAhead } from "../ahead/read-ahead.ts";
import { factChanges, readShown } from "./fact-changes.ts";
import { type AttemptContext, type Attempted, type Gathered, tasksAhead, valuesNow } from "./task-context.ts";
import { effectsOf, forgotten } from "./effects.ts";
import type { ForeseenChange, Wanting } from "../plan/foreseen-change.ts";
import type { Host } from "../host/host.ts";
import { performSteps } from "./perform-steps.ts";
import { inFrame } from "../../core/step.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { readFacts } from "../host/read-facts.ts";
import { type Acted, takeFromTape } from "../ahead/take-results.ts";
import { Misforeseen } from "../ahead/sent-frame.ts";
import { valueText } from "../plan/value-text.ts";

/** A run: performs the steps, reads the task's facts again in the same frame, and holds the task to its want. */
export async function applySteps(
  planned: PlannedTask,
  params: unknown,
  gathered: Gathered,
  decision: Wanting,
  steps: readonly Step[],
  context: AttemptContext,
): Promise<Attempted> {
  const { host, window, signal } = context;
  const { facts } = decision;
  if (steps.length === 0) throw noSteps(facts);
  window.shrink();
  const change = { task: planned, params, facts: gathered.facts, decision, steps };
  const patterns = forgotten(effectsOf(planned, params, steps, facts, host.knowledge.names));
  const isSentAhead = !context.standIn && !context.paranoia && steps.every(inFrame);
  const { changes, results, failed, errors, held } = isSentAhead
    ? await takeFromTape(change, gathered.values, patterns, context)
    : await performAlone(change, patterns, context);
  const own = listFacts(gathered.facts).map(({ fact }) => fact);
  if (failed) {
    host.knowledge.forgetFacts(own);
    throw failed;
  }
  const readable = own.filter((fact) => !isRan(fact));
  const controller = readable.filter(isControllerFact);
  if (controller.length > 0) {
    for (const [id, error] of await readFacts(controller, host, context.drivers, signal)) errors.set(id, error);
  }
  const unreadable = readable.map((fact) => errors.get(factId(fact))).find(Boolean);
  if (unreadable) throw unreadable;
  holdToWant(facts, host, held);
  return { outcome: "changed", changes, values: valuesAfter(gathered, host, held), results };
}

/**
 * Performs steps that no tape can hold. Throws Misforeseen where one plays: it foresaw that the task would change nothing,
 * and went on to later tasks.
 */
async function performAlone(
  change: ForeseenChange,
  patterns: readonly FactPattern[],
  context: AttemptContext,
): Promise<Acted> {
  if (context.deck.tape !== undefined) {
    await context.deck.abandon();
    throw new Misforeseen(change.task.id);
  }
  return performNow(change, patterns, context);
}

/** Steps that the controller performs between frames, that something stands in for, or that nobody believes. */
async function performNow(
  { task, facts: asked, decision: { facts }, steps }: ForeseenChange,
  patterns: readonly FactPattern[],
  context: AttemptContext,
): Promise<Acted> {
  const { host, signal, diff } = context;
  const changes = factChanges(facts, diff, diff ? await readShown(facts, host, signal) : undefined);
  host.knowledge.forget(patterns);
  const readable = listFacts(asked).flatMap(({ fact }) => (isRan(fact) || isAdvice(fact) ? [] : [fact]));
  const lookup = context.outputs.lookupFor(context.playHost);
  const ahead = questionsAhead(tasksAhead(context), host.knowledge, lookup, host.user);
  const sent = context.standIn?.steps(host.name, facts, steps) ?? steps;
  const watch = await context.paranoia?.watch(host, patterns, signal);
  try {
    return { changes, ...(await performSteps(task, sent, [...readable, ...ahead], context, watch)) };
  } finally {
    if (!sent.every(inFrame)) host.knowledge.controller.note(patterns);
  }
}

function valuesAfter(gathered: Gathered, host: Host, held?: ReadonlyMap<string, unknown>): Gathered["values"] {
  const after = Object.entries(valuesNow(gathered.facts, host, held)).filter(([, value]) => value !== undefined);
  return { ...gathered.values, ...Object.fromEntries(after) };
}

/** Throws E_NOT_CONVERGED where the host is not as the task wanted it, naming fact, wanted and found. */
function holdToWant(facts: readonly Bound[], host: Host, held?: ReadonlyMap<string, unknown>): void {
  for (const { fact, id, bound } of facts) {
    if (isRan(fact) || bound === undefined) continue;
    const known = host.knowledge.lookup(fact);
    const found = known === undefined ? held?.get(factId(fact)) : known.value;
    const [difference] = differences(found, bound);
    if (difference === undefined) continue;
    const part = difference.path === "" ? id : `${difference.path} of ${id}`;
    throw new FurrowError("E_NOT_CONVERGED", {
      what: `the steps ended, and ${part} is not as wanted`,
      current: show(fact, difference.from),
      expected: show(fact, difference.to),
      hint: "Look at the host: something undoes the change, or the task's steps do not bring it about",
    });
  }
}

function show(fact: Fact, value: unknown): string {
  return !isControllerFact(fact) && fact.secret === true ? "«secret»" : valueText(value, 300);
}

function noSteps(facts: readonly Bound[]): FurrowError {
  const wrong = facts.filter(({ match }) => match !== "same");
  return new FurrowError("E_NOT_CONVERGED", {
    what: `${wrong.map(({ id }) => id).join(", ")} is not as wanted, and the task has no step that would change it`,
    hint: "Mend the task module: its steps must bring about all that its want binds",
  });
}
