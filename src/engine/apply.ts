import { differences } from "../core/compare.ts";
import { FurrowError } from "../core/errors.ts";
import type { Bound } from "../core/evaluate.ts";
import { type Fact, factId, type FactPattern, isControllerFact, listFacts } from "../core/fact.ts";
import { kindOf } from "../core/kind.ts";
import { printMarkers } from "../core/secret.ts";
import { type Step, touchedPaths } from "../core/step.ts";
import { absent, knownAfterApply } from "../core/symbols.ts";
import { isRan, questionsAhead } from "./ahead.ts";
import { type AttemptContext, type Attempted, type Gathered, valuesNow } from "./context.ts";
import { factChanges } from "./changes.ts";
import type { Host } from "./host.ts";
import { performSteps } from "./perform.ts";
import type { PlannedTask } from "./plan.ts";
import { readFacts } from "./read.ts";

/** A run: performs the steps, reads the task's facts again in the same frame, and holds the task to its want. */
export async function applySteps(
  planned: PlannedTask,
  params: unknown,
  gathered: Gathered,
  facts: readonly Bound[],
  steps: readonly Step[],
  context: AttemptContext,
): Promise<Attempted> {
  const { host, window, signal } = context;
  if (steps.length === 0) throw noSteps(facts);
  const changes = await factChanges(facts, host, context.diff, signal);
  const own = listFacts(gathered.facts).map(({ fact }) => fact);
  window.shrink();
  const touched = forgotten(planned, params, steps, facts);
  host.knowledge.forget(touched);
  const readable = own.filter((fact) => !isRan(fact));
  const ahead = questionsAhead(context.upcoming.slice(0, window.size - 1), host.knowledge);
  const sent = context.standIn?.steps(host.name, facts, steps) ?? steps;
  const watch = await context.paranoia?.watch(host, touched, signal);
  const { results, failed, errors } = await performSteps(planned, sent, [...readable, ...ahead], context, watch);
  if (failed) {
    host.knowledge.forget(own.map(factId));
    throw failed;
  }
  const controller = readable.filter(isControllerFact);
  if (controller.length > 0) {
    for (const [id, error] of await readFacts(controller, host, context.drivers, signal)) errors.set(id, error);
  }
  const unreadable = readable.map((fact) => errors.get(factId(fact))).find(Boolean);
  if (unreadable) throw unreadable;
  holdToWant(facts, host);
  return { outcome: "changed", changes, values: valuesAfter(gathered, host), results };
}

function valuesAfter(gathered: Gathered, host: Host): Gathered["values"] {
  return { ...gathered.values, ...valuesNow(gathered.facts, host) };
}

/** What must be read again once the steps have run: the task's own facts, and what else it says, or may have, touched. */
function forgotten(
  planned: PlannedTask,
  params: unknown,
  steps: readonly Step[],
  facts: readonly Bound[],
): readonly FactPattern[] {
  const { card } = planned.call.module;
  const opaque = steps.some((step) => touchedPaths(step) === undefined);
  const declared = card.disturbs?.(params) ?? (opaque ? ["everything"] : []);
  const paths = steps.flatMap((step) => touchedPaths(step) ?? []).map((path) => `file:${path}`);
  return [
    ...declared,
    ...(card.mayProvide?.(params) ?? []),
    ...paths,
    ...facts.map(({ id }) => id),
    ...facts.flatMap((bound) => touches(bound)),
  ];
}

function touches({ fact, now, wanted, match }: Bound): readonly FactPattern[] {
  if (isControllerFact(fact) || isRan(fact) || match === "same") return [];
  const { touches: touched, predict, renews } = kindOf(fact.kind);
  const after = wanted === absent || predict === undefined ? wanted : predict(now, wanted, { user: "root" });
  return [...(touched?.(fact.key, now, after) ?? []), ...(renews?.(fact.key) ?? [])];
}

/** Throws E_NOT_CONVERGED where the host is not as the task wanted it, naming fact, wanted and found. */
function holdToWant(facts: readonly Bound[], host: Host): void {
  for (const { fact, id, bound } of facts) {
    if (isRan(fact) || bound === undefined) continue;
    const found = host.knowledge.lookup(fact)?.value;
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
  if (!isControllerFact(fact) && fact.secret === true) return "«secret»";
  if (value === absent) return "absent";
  if (value === knownAfterApply) return "anything";
  const text = printMarkers(JSON.stringify(value) ?? "nothing");
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function noSteps(facts: readonly Bound[]): FurrowError {
  const wrong = facts.filter(({ match }) => match !== "same");
  return new FurrowError("E_NOT_CONVERGED", {
    what: `${wrong.map(({ id }) => id).join(", ")} is not as wanted, and the task has no step that would change it`,
    hint: "Mend the task module: its steps must bring about all that its want binds",
  });
}
