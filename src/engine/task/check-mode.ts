import { knownKeys } from "../../core/params/params.ts";
import { guardUnknown, UnknownValue } from "../../core/facts/compare.ts";
import { walkStages, type Bound, type Decision, type Values } from "../../core/authoring/evaluate.ts";
import { type Fact, factId, type Facts, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { kindOf, readsAnything } from "../../core/facts/kind.ts";
import { inFrame, type Step, touchedPaths } from "../../core/host/step.ts";
import { predictionOf } from "../../core/facts/prediction.ts";
import { type OutputLookup, resolveRefs } from "../../core/authoring/ref.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import type { FactChange } from "../../core/events.ts";
import { isRan } from "../../core/facts/ran.ts";
import { isSecret } from "../../core/secrets/secret.ts";
import { type AttemptContext, type AttemptResult, type TaskFacts, valuesNow } from "./task-context.ts";
import { dependencyOf, holdsOpen } from "./undecided/unknown-facts.ts";
import { changesNothing } from "./reading-steps.ts";
import { factChanges, readShown } from "./fact-changes.ts";
import type { Host } from "../host/host.ts";
import type { PlannedTask } from "../plan/plan.ts";

/** Check mode: predicts the changes that the task wants, so that later tasks see them. */
export async function predictChange(
  planned: PlannedTask,
  params: unknown,
  taskFacts: TaskFacts,
  decision: Extract<Decision, { want: unknown }>,
  steps: () => readonly Step[] | undefined,
  context: AttemptContext,
): Promise<AttemptResult> {
  const { host, title, signal, hostIsMissing } = context;
  // A host that does not exist yet has no known users, so the prediction does not name an owner.
  const user = planned.become ?? (hostIsMissing ? "" : (await host.session(signal)).user);
  const diff = context.diff && !hostIsMissing;
  const certain = decision.match === "differs";
  const unknown = decision.facts.filter(({ match }) => match === "unknown").map(({ fact }) => fact);
  const dependsOn = dependencyOf(unknown, host);
  const changes = certain
    ? factChanges(decision.facts, diff, diff ? await readShown(decision.facts, host, signal) : undefined)
    : [];
  const foreseen = decision.facts
    .filter(({ fact, wanted, match }) => wanted !== undefined && match !== "same" && !isRan(fact))
    .map((bound) => ({
      ...bound,
      after: predictionOf(bound.fact, bound.now, bound.wanted, { user, parentValue: parentValue(bound.fact, host) }),
    }));
  for (const { fact, after } of foreseen) host.knowledge.predictLink(fact, after, title);
  // A task's own facts end up with the wanted values, regardless of how its changes affect them in between.
  for (const bound of foreseen) predictOthers(host, bound, bound.after, title);
  for (const { fact, after } of foreseen) host.knowledge.predict(fact, after, title);
  for (const bound of decision.facts) keepWanted(host, bound, title, user);
  if (certain)
    for (const { fact, wanted } of decision.facts) if (isRan(fact) && wanted === true) host.knowledge.acts.note(fact);
  predictSideEffects(planned, params, host, title, {
    perhaps: !certain,
    now: taskFacts.values,
    mayDoAnything: () => mayDoAnything(steps()),
  });
  // After the task's steps, the user's command reports that the task is done.
  for (const { fact, after } of foreseen) if (readsAnything(fact)) host.knowledge.predict(fact, after, title);
  const after = { values: valuesNow(taskFacts.facts, host), results: undefined };
  if (certain) return { outcome: "changed", changes, ...after };
  const intends = factChanges(
    decision.facts.filter(({ match, wanted }) => match === "unknown" && wanted !== undefined),
    false,
  );
  return { outcome: "undecided", changes, dependsOn, intends, ...after };
}

/** Check mode: the task read an unknown value, so all facts that it may change become unknown. */
export function predictUnknown(
  planned: PlannedTask,
  params: unknown,
  facts: Facts,
  context: AttemptContext,
): AttemptResult {
  const { host, title } = context;
  const list = listFacts(facts).map(({ fact }) => fact);
  const unknown = list.filter((fact) => !isRan(fact) && holdsOpen(host.knowledge.lookup(fact)?.value));
  const dependsOn = dependencyOf(unknown, host);
  if (!changesNothing(planned, params)) {
    host.knowledge.predictUnknown(list.filter(mayChange), dependsOn.task);
    predictSideEffects(planned, params, host, title, { perhaps: true, mayDoAnything: () => true });
  }
  const intends = paramsAsIntent(params, title);
  return { outcome: "undecided", changes: [], dependsOn, intends, values: valuesNow(facts, host), results: undefined };
}

/**
 * The wanted values according to a task's params: the plain values that its title does not already contain. A secret
 * value is marked as secret. If the task has `secret: true`, any of its strings, except
 * attributes, may contain a part of the secret.
 */
function paramsAsIntent(params: unknown, title: string): readonly FactChange[] {
  if (!isRecord(params)) return [];
  const plain = Object.entries(params).filter(([name, value]) => {
    if (typeof value !== "string") return typeof value === "boolean" || typeof value === "number";
    if (isSecret(value)) return name === "content";
    return !title.includes(value) && (params["secret"] !== true || attributes.has(name));
  });
  if (plain.length === 0) return [];
  const secrets = plain.filter(([, value]) => isSecret(value));
  const others = plain.filter(([, value]) => !isSecret(value));
  const differences = [...others, ...secrets].map(([path, to]) => ({ path, from: knownAfterApply, to }));
  return [{ fact: title, differences, secret: secrets.length > 0 }];
}

/** Params that are never part of secret content. */
const attributes: ReadonlySet<string> = new Set(["state", "mode", "owner", "group"]);

/**
 * Check mode: it is unknown whether the task runs, or with which params. So each fact that the task names may keep its
 * value or get the wanted one. If params are outputs, only the known params can name facts.
 */
export function predictMaybeSkipped(planned: PlannedTask, lookup: OutputLookup, host: Host, title: string): void {
  const known = "params" in planned.parsed;
  const params: unknown = known
    ? planned.parsed.params
    : guardUnknown(resolveRefs(planned.call.input, lookup, knownAfterApply).value);
  if (changesNothing(planned, params)) return;
  let facts = namedWith(planned, params, host);
  // A task may check whether an unknown string is a secret before it names its file. Even so, that file must be named
  // here.
  if (!known && Object.keys(facts).length === 0) {
    facts = namedWith(planned, resolveRefs(planned.call.input, lookup, knownAfterApply).value, host);
  }
  const changing = listFacts(facts).flatMap(({ fact }) => (mayChange(fact) && hasName(fact) ? [fact] : []));
  host.knowledge.predictUnknown(changing, title);
  try {
    predictSideEffects(planned, params, host, title, { perhaps: true, mayDoAnything: () => true });
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
  }
}

/** What is known about the steps of a task whose side effects are predicted. */
interface SideEffects {
  /** True if it is uncertain whether the task acts. */
  readonly perhaps: boolean;
  readonly now?: Values;
  /**
   * True if, according to what is known about the steps, they may change anything. Matters only if the task does not
   * declare what they change.
   */
  readonly mayDoAnything: () => boolean;
}

/** Predicts what a task may provide besides its own facts, and what remains after its reboot. */
function predictSideEffects(
  planned: PlannedTask,
  params: unknown,
  host: Host,
  title: string,
  { perhaps, now, mayDoAnything }: SideEffects,
): void {
  const { card } = planned.call.module;
  host.knowledge.providers.note(title, knownKeys(card.params));
  const provided = card.mayProvide?.(params, now) ?? [];
  host.knowledge.mayProvide(provided, title, card.certainlyProvides?.(params) ?? []);
  const altered = card.mayAlter?.(params) ?? [];
  if (altered.length > 0) host.knowledge.touched(host.knowledge.names.patterns(altered), title);
  if (card.reboots === true) host.knowledge.boot(title, perhaps);
  const disturbed = card.disturbs?.(params);
  host.knowledge.changes.note(disturbed ?? (mayDoAnything() ? ["everything"] : []), title);
  host.knowledge.names.disturbances.note(card.reboots === true ? ["mount:**"] : (disturbed ?? []), title);
}

/** True if steps may change anything: some are opaque, or they are not known (undefined). */
function mayDoAnything(steps: readonly Step[] | undefined): boolean {
  return steps === undefined || steps.some((step) => inFrame(step) && touchedPaths(step) === undefined);
}

/** The facts of all stages that can be evaluated. A stage that reads an unknown value names no facts here. */
function namedWith(planned: PlannedTask, params: unknown, host: Host): Facts {
  let facts: Facts = {};
  try {
    walkStages(planned.call.module, params, (asked) => {
      facts = asked;
      return valuesNow(asked, host);
    });
  } catch {
    // In a run, the same failure will be reported when the task's turn comes.
  }
  return facts;
}

/**
 * A fact that already has the value its task wants stays the same, even if another change by the task would alter it.
 * Example: a task that changes a list of repositories also fetches the package index, so the index does not become
 * outdated.
 */
function keepWanted(host: Host, { fact, now, wanted, match }: Bound, title: string, user: string): void {
  if (match !== "same" || wanted === undefined || isRan(fact) || isControllerFact(fact)) return;
  const between = host.knowledge.lookup(fact);
  if (between === undefined || between.value === now) return;
  host.knowledge.predict(fact, predictionOf(fact, between.value, wanted, { user }), title);
}

/** The known value of the parent of a fact's thing (`Kind.parent`): for a file, its directory. */
function parentValue(fact: Fact, host: Host): unknown {
  const parent = isControllerFact(fact) || isRan(fact) ? undefined : kindOf(fact.kind).parent?.(fact.key);
  return parent && host.knowledge.lookup(parent)?.value;
}

/** False for a fact whose question contains an unknown param: `mayProvide` then names what the task may change. */
function hasName(fact: Fact): boolean {
  try {
    factId(fact);
    return true;
  } catch (error) {
    if (error instanceof UnknownValue) return false;
    throw error;
  }
}

/** True for a fact that its task may want to change. */
function mayChange(fact: Fact): boolean {
  return !isRan(fact) && fact.onlyRead !== true;
}

/** Predicts how a change to this fact affects other facts. */
function predictOthers(host: Host, { fact, now, match }: Bound, after: unknown, title: string): void {
  if (isControllerFact(fact)) return;
  const { touches, mayTouch, implies, renews } = kindOf(fact.kind);
  const { knowledge } = host;
  const real = knowledge.names.fact(fact);
  for (const key of new Set([...knowledge.names.aliases(real.key), fact.key])) {
    if (now === knownAfterApply) {
      knowledge.touched(mayTouch?.(key, after) ?? [], title);
      continue;
    }
    knowledge.touched(touches?.(key, now, after) ?? [], title);
    knowledge.changes.note(renews?.(key, now, after) ?? [], title, true);
    knowledge.addConsequences(implies?.(key, now, after) ?? [], title, match === "unknown");
  }
}
