import { type Change, differences, guardUnknown, match, type Match } from "../facts/compare.ts";
import { type Fact, factId, type Facts, isControllerFact, isFactList, listFacts } from "../facts/fact.ts";
import { FurrowError } from "../errors.ts";
import { kindOf } from "../facts/kind.ts";
import { ranKind } from "../facts/ran.ts";
import { Refusal } from "./refusal.ts";
import type { Step } from "../host/step.ts";
import type { StepList, TaskDefinition } from "./task-definition.ts";

/** The values of a task's facts, keyed by the task's own fact names; unknown parts are `knownAfterApply`. */
export type Values = Readonly<Record<string, unknown>>;

/** One fact of a task with its value and its want. */
export interface Bound {
  readonly fact: Fact;
  readonly id: string;
  readonly now: unknown;
  /** The task's want; undefined if the want does not name this fact. */
  readonly wanted: unknown;
  /** The want, expressed in the facets that were read. */
  readonly bound: unknown;
  readonly match: Match;
}

/** A task's decision for the current values: a refusal, or how each fact compares with its want. */
export type Decision =
  | { readonly refusal: Refusal }
  | { readonly want: Readonly<Record<string, unknown>>; readonly facts: readonly Bound[]; readonly match: Match };

/** Asks a task what it wants. Throws UnknownValue if the task reads an unknown value. */
export function decide(definition: TaskDefinition, params: unknown, facts: Facts, values: Values): Decision {
  const want = definition.want(params as never, guardUnknown(values) as never);
  if (want instanceof Refusal) return { refusal: want };
  const bound = listFacts(facts).map(({ name, index, fact }): Bound => {
    const now = pick(values[name], index);
    const wanted = pick(want[name], index);
    const inFacets = bindWant(fact, wanted);
    if (wanted !== undefined && fact.onlyRead === true) throw wantsOnlyRead(factId(fact));
    return { fact, id: factId(fact), now, wanted, bound: inFacets, match: match(now, inFacets) };
  });
  const all = bound.map((part) => part.match);
  return {
    want,
    facts: bound,
    match: all.includes("differs") ? "differs" : all.includes("unknown") ? "unknown" : "same",
  };
}

function wantsOnlyRead(id: string): FurrowError {
  return new FurrowError("E_BUG", {
    what: `the task wants a value for ${id}, which it declares with onlyRead()`,
    hint: "Ask for the fact without onlyRead()",
  });
}

function bindWant(fact: Fact, wanted: unknown): unknown {
  if (wanted === undefined || isControllerFact(fact) || fact.kind === ranKind) return wanted;
  const { bind } = kindOf(fact.kind);
  return bind ? bind(wanted, fact) : wanted;
}

function pick(value: unknown, index: number | undefined): unknown {
  return index === undefined ? value : Array.isArray(value) ? (value as unknown[])[index] : undefined;
}

/** The steps of a task whose facts differ from its want. */
export function stepsOf(
  definition: TaskDefinition,
  params: unknown,
  facts: Facts,
  values: Values,
  decision: Extract<Decision, { want: unknown }>,
): Step[] {
  let at = 0;
  const change: Record<string, unknown> = {};
  for (const [name, asked] of Object.entries(facts)) {
    const count = isFactList(asked) ? asked.length : 1;
    const changes = decision.facts.slice(at, at + count).map(changeOf);
    at += count;
    if (changes.some(Boolean)) change[name] = isFactList(asked) ? changes : changes[0];
  }
  const context = { change, now: guardUnknown(values), want: decision.want };
  return flattenSteps(definition.steps(params as never, context as never));
}

function changeOf(fact: Bound): Change | undefined {
  if (fact.match === "same") return undefined;
  const paths = differences(fact.now, fact.bound).map(({ path }) => path);
  return { from: guardUnknown(fact.now), to: fact.wanted, paths };
}

function flattenSteps(list: StepList): Step[] {
  return list.flatMap((item) => (Array.isArray(item) ? flattenSteps(item) : item ? [item as Step] : []));
}

/** The values of facts, keyed by the task's own fact names. A list of facts gives a list of values. */
export function collect(facts: Facts, valueOf: (fact: Fact) => unknown): Values {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    const asked = facts[name] as Fact | readonly Fact[];
    values[name] = isFactList(asked) ? asked.map(valueOf) : valueOf(asked);
  }
  return values;
}

/**
 * Yields the facts of a task, stage by stage. Pass the values of each stage to `next`; the next stage is built from
 * them.
 */
export function* askStages(definition: TaskDefinition, params: unknown): Generator<Facts, Facts, Values> {
  let facts: Facts = {};
  let values: Values = {};
  for (const stage of definition.stages) {
    const asked = stage(params as never, guardUnknown(values) as never);
    const own: Record<string, Facts[string]> = { ...facts };
    for (const name of Object.keys(asked)) {
      const fact = (asked as Partial<Facts>)[name];
      if (fact !== undefined) own[name] = fact;
    }
    facts = own;
    values = yield facts;
  }
  return facts;
}

/** The result of evaluating a task's facts, stage by stage, up to the first stage without an answer. */
export interface StageWalk {
  /** The facts of all stages that were reached. */
  readonly facts: Facts;
  /** The values of the last stage that was answered. */
  readonly values: Values;
  /** True if every stage was answered. */
  readonly complete: boolean;
}

/**
 * Evaluates the stages of a task's facts in order. `answer` returns the values so far, or undefined to stop the
 * evaluation.
 */
export function walkStages(
  definition: TaskDefinition,
  params: unknown,
  answer: (facts: Facts) => Values | undefined,
): StageWalk {
  const stages = askStages(definition, params);
  let values: Values = {};
  let stage = stages.next();
  while (stage.done !== true) {
    const next = answer(stage.value);
    if (next === undefined) return { facts: stage.value, values, complete: false };
    values = next;
    stage = stages.next(values);
  }
  return { facts: stage.value, values, complete: true };
}

/** Like {@link walkStages}, but `answer` is asynchronous. */
export async function readStages(
  definition: TaskDefinition,
  params: unknown,
  answer: (facts: Facts) => Promise<Values | undefined>,
): Promise<StageWalk> {
  const stages = askStages(definition, params);
  let values: Values = {};
  let stage = stages.next();
  while (stage.done !== true) {
    const next = await answer(stage.value);
    if (next === undefined) return { facts: stage.value, values, complete: false };
    values = next;
    stage = stages.next(values);
  }
  return { facts: stage.value, values, complete: true };
}
