import { merge, UnknownValue } from "../../core/compare.ts";
import { expectationOf } from "../../core/expectation.ts";
import { type Fact, factId, isControllerFact, namesFact, type Question } from "../../core/fact.ts";
import type { Expectation } from "../../core/frame.ts";
import { withImplied } from "../../core/implied.ts";
import { isAdvice, kindOf } from "../../core/kind.ts";
import { PatternIndex } from "../../core/pattern-index.ts";
import { holdsSecret } from "../../core/secret.ts";
import { absent, isRecord, knownAfterApply } from "../../core/symbols.ts";
import { wayKindName } from "../../core/way.ts";
import type { Effects } from "../task/effects.ts";
import { type Knowledge, viewOf } from "../host/knowledge.ts";
import type { Names } from "../paths/path-names.ts";

interface Thing {
  readonly fact: Fact;
  readonly value: unknown;
  readonly facets: ReadonlySet<string>;
  /** The change after which it must be looked at again: only a guard behind that makes it sure. Undefined where it is. */
  readonly since: number | undefined;
  /** It was known before something else was done to the host, which nobody has looked behind. */
  readonly stale?: true;
  /** How many disturbances it has been through. */
  readonly at: number;
}

/** A change of the plan with what it touches. `own`: kinds of the task's own facts. */
interface Disturbance {
  readonly at: number;
  readonly change: number;
  readonly effects: Effects;
  readonly own: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** A guard that a plan needs: of which fact, behind which of its changes. */
export interface Hold {
  readonly after: number;
  readonly view: string;
  readonly expectation: Expectation;
}

/**
 * A host as it is foreseen to be while a run is planned ahead: what is known of it, with what each planned task will
 * change. What a change may have touched is guessed to be as it was, and is to be held by a guard behind that change
 * before anyone builds on it; what no guard can hold is not knowable.
 */
export class PredictedHost {
  /** Which names lead to the same thing, as far as that is known and foreseen. */
  readonly names: Names;
  readonly #things = new Map<string, Thing>();
  /** Ways behind a change that may alter them: a guard must hold them before anyone builds on them. */
  readonly #ways = new Map<string, number>();
  /** Guards so far: behind which change, on what. */
  readonly #held: Map<string, Expectation>[] = [];
  /** What changes so far disturb. A thing goes through those that name it when it is next looked at. */
  readonly #disturbances = new PatternIndex<Disturbance>();
  #disturbed = 0;

  constructor(knowledge: Knowledge) {
    this.names = knowledge.names.copy();
    const { known, guesses } = knowledge.views();
    for (const [view, { fact, value, facets = none }] of known)
      this.#things.set(view, { fact, value, facets, since: undefined, at: 0 });
    for (const [view, { fact, value, facets = none }] of guesses) {
      if (!isControllerFact(fact))
        this.#things.set(view, { fact, value: settled(fact, value), facets, since: 0, stale: true, at: 0 });
    }
  }

  /** A thing as it is behind all changes so far. */
  #thing(view: string): Thing | undefined {
    const thing = this.#things.get(view);
    if (thing === undefined || thing.at === this.#disturbed) return thing;
    const id = factId(thing.fact);
    let after: Thing | undefined = thing;
    for (const disturbance of this.#disturbances.all(id, thing.at)) after &&= disturbedBy(after, id, disturbance);
    if (after === undefined) this.#things.delete(view);
    else this.#things.set(view, { ...after, at: this.#disturbed });
    return after;
  }

  /** The value of a fact as it will be; undefined where the host, or the controller, must be asked. */
  lookup(asked: Fact): { readonly value: unknown } | undefined {
    if (this.names.isOpen(asked)) return undefined;
    const fact = this.names.fact(asked);
    const thing = this.#thing(viewOf(fact));
    if (thing === undefined || isControllerFact(fact)) return thing;
    return fact.facets.every((facet) => thing.facets.has(facet)) ? thing : undefined;
  }

  /** True where the value is sure, or will be once the guards so far have held: the host need not be asked again. */
  isSettled(asked: Fact): boolean {
    const fact = this.names.fact(asked);
    const thing = this.#thing(viewOf(fact));
    if (thing === undefined || this.lookup(asked) === undefined || this.#holdsForWays(asked).length > 0) return false;
    if (thing.since === undefined || isControllerFact(fact)) return true;
    const held = this.#held[thing.since]?.get(viewOf(fact));
    return held !== undefined && fact.facets.every((facet) => held.question.facets.includes(facet));
  }

  /** The facets known of a fact. */
  facetsOf(fact: Fact): readonly string[] {
    return [...(this.#thing(viewOf(this.names.fact(fact)))?.facets ?? [])];
  }

  /** The ways that must be asked along with a question: those that are not known, or not held by a guard yet. */
  waysFor(fact: Fact): Question[] {
    return [...this.names.waysFor(fact), ...this.#holdsForWays(fact).map(({ expectation }) => expectation.question)];
  }

  /** The question to send. */
  asked<F extends Fact>(fact: F): F {
    return fact;
  }

  /** Takes in what the controller answered. */
  learn(fact: Fact, value: unknown): void {
    this.#things.set(viewOf(fact), { fact, value, facets: new Set(), since: undefined, at: this.#disturbed });
  }

  /**
   * The guards that facts need so that a task may build on them; empty where they are sure. `before`: only those that stand
   * before this change. Throws UnknownValue where a guard cannot hold one.
   */
  holdsFor(facts: readonly Fact[], before = Infinity): Hold[] {
    return facts.flatMap((fact): Hold[] => {
      const view = viewOf(this.names.fact(fact));
      const thing = this.#thing(view);
      const ways = this.#holdsForWays(fact).filter(({ after }) => after < before);
      if (isControllerFact(fact) || thing?.since === undefined || thing.since >= before || isAdvice(fact)) return ways;
      const { kind, key, secret } = fact;
      if (kindOf(kind).neverAhead === true) throw new UnknownValue(factId(fact));
      const held = this.#held[thing.since]?.get(view)?.question.facets ?? [];
      const facets = [...new Set([...fact.facets, ...held])].toSorted();
      const question = { kind, key, facets, ...(secret === true && { secret }) };
      return [...ways, { after: thing.since, view, expectation: holdable(question, thing.value) }];
    });
  }

  /** True where none of these facts is stale, unless a guard in front of this change can hold it. */
  canHold(facts: readonly Fact[], before: number): boolean {
    return facts.every((fact) => {
      const thing = isAdvice(fact) ? undefined : this.#thing(viewOf(this.names.fact(fact)));
      return thing?.stale !== true || (thing.since ?? 0) < before;
    });
  }

  /** The guards that hold the ways to a thing, where a change may have altered them. */
  #holdsForWays(fact: Fact): Hold[] {
    if (this.#ways.size === 0) return [];
    return this.names.waysOf(fact).flatMap(({ question, value }): Hold[] => {
      const after = this.#ways.get(question.key);
      const view = viewOf(question);
      if (after === undefined || this.#held[after]?.has(view) === true) return [];
      return [{ after, view, expectation: holdable(question, value) }];
    });
  }

  /** Has the guards hold these. */
  hold(holds: readonly Hold[]): void {
    for (const { after, view, expectation } of holds) this.#guard(after).set(view, expectation);
  }

  /** What the guard behind a change expects. */
  expectations(change: number): readonly Expectation[] {
    return [...(this.#held[change]?.values() ?? [])];
  }

  #guard(change: number): Map<string, Expectation> {
    return (this.#held[change] ??= new Map<string, Expectation>());
  }

  /** A change, by its number in the plan: what it touches is not sure any more. `own`: kinds of the task's own facts. */
  disturb(change: number, effects: Effects, own: ReadonlySet<string>): void {
    for (const directory of this.names.through(effects.disturbed)) this.#ways.set(directory, change);
    const at = (this.#disturbed += 1);
    const { disturbed, provided, touched, implied } = effects;
    const named = [...disturbed, ...provided, ...touched, ...implied.map(({ of }) => of)];
    const positive = named.filter((pattern) => !pattern.startsWith("!"));
    this.#disturbances.add(at, positive, { at, change, effects, own });
  }

  /** What one of a task's own facts will be once its steps have run. Other views of the thing are not known any more. */
  foresee(change: number, asked: Question, value: unknown): void {
    const fact = this.names.fact(asked);
    const view = viewOf(fact);
    const id = factId(fact);
    const { value: earlier = absent, facets: before = none } = this.#thing(view) ?? {};
    const parts = isRecord(value) ? Object.keys(kindOf(fact.kind).facets).filter((facet) => hasPart(value, facet)) : [];
    for (const other of [id, `${id}#secret`]) this.#things.delete(other);
    const facets = new Set([...fact.facets, ...before, ...parts]);
    // Where names below lead from now on, the host must say.
    const { leads, ageing } = kindOf(fact.kind);
    if (leads && leads(earlier) !== leads(value)) this.names.forget([`${wayKindName}:${fact.key}`]);
    this.#things.set(view, { fact, value: settled(fact, value, ageing), facets, since: change, at: this.#disturbed });
  }
}

/** A thing behind a change that may touch it; undefined where the controller must be asked again. */
function disturbedBy(thing: Thing, id: string, { change, effects, own }: Disturbance): Thing | undefined {
  const { disturbed, provided, touched, renewed, implied } = effects;
  const { fact, value } = thing;
  const may = namesFact(provided, id);
  const sure = withImplied(id, value, implied);
  const goes = sure === value && namesFact(touched, id);
  if (!may && !goes && !namesFact(disturbed, id)) return thing;
  if (isControllerFact(fact)) return undefined;
  // A package seldom brings the very one that is listed next, but nearly always its unit, its user, its files.
  if (goes || (may && !own.has(fact.kind) && !isThere(fact, value)))
    return { ...thing, value: knownAfterApply, since: change };
  const { ageing, renewed: anew } = kindOf(fact.kind);
  const after = namesFact(renewed, id) ? merge(sure, anew) : sure;
  return { ...thing, value: settled(fact, after, ageing), since: change };
}

function hasPart(value: Readonly<Record<string, unknown>>, facet: string): boolean {
  return value[facet] !== undefined && value[facet] !== knownAfterApply;
}

function isThere(fact: Question, value: unknown): boolean {
  return kindOf(fact.kind).isThere?.(value) ?? value !== absent;
}

/** A value as far as a guard can hold it: without what changes by itself, but for parts that `stay`, or is secret. */
function settled(fact: Question, value: unknown, stay: readonly string[] = []): unknown {
  if (!isRecord(value)) return value;
  // A part that changes by itself may also come, where it was not there.
  const parts: Record<string, unknown> = { ...value };
  for (const part of kindOf(fact.kind).volatile ?? []) if (!stay.includes(part)) parts[part] = knownAfterApply;
  for (const [part, inner] of Object.entries(value)) {
    if (fact.secret === true && holdsSecret(inner)) parts[part] = knownAfterApply;
  }
  return parts;
}

/** Throws UnknownValue where a guard cannot hold the value. */
function holdable(question: Question, value: unknown): Expectation {
  if (kindOf(question.kind).print === undefined) throw new UnknownValue(factId(question));
  try {
    return expectationOf(question, value);
  } catch {
    // Whatever a kind stumbles over in a prediction, it cannot tell the lines.
    throw new UnknownValue(factId(question));
  }
}
