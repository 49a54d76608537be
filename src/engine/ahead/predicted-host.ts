import { merge, UnknownValue } from "../../core/facts/compare.ts";
import { expectationOf } from "../../core/facts/expectation.ts";
import { exactly, type Fact, factId, isControllerFact, namesFact, type Question } from "../../core/facts/fact.ts";
import type { Expectation } from "../../core/host/frame.ts";
import { withImplied } from "../../core/facts/implied.ts";
import { isAdvice, isThere, kindOf, readsAnything } from "../../core/facts/kind.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";
import { holdsSecret } from "../../core/secrets/secret.ts";
import { absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { pathResolutionKind } from "../../core/facts/path-resolution.ts";
import type { Effects } from "../task/effects.ts";
import type { Knowledge } from "../host/knowledge.ts";
import { viewOf } from "../paths/known-values.ts";
import { impliedParents } from "../host/implied-parents.ts";
import type { PathNames } from "../paths/path-names.ts";

interface Thing {
  readonly fact: Fact;
  readonly value: unknown;
  readonly facets: ReadonlySet<string>;
  /**
   * The number of a change. After that change the value is only a guess, until a guard after the change confirms it.
   * Undefined if the value is certain.
   */
  readonly since: number | undefined;
  /** Set if the value was read before an action that may have changed it, and has not been read again. */
  readonly stale?: true;
  /** The number of disturbances already applied to this value. */
  readonly at: number;
}

/** A change in the forecast and what it touches. `own`: the kinds of the task's own facts. */
interface Disturbance {
  readonly at: number;
  readonly change: number;
  readonly effects: Effects;
  readonly own: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** A check to add to the guard after change number `after`: the fact must have the expected value. */
export interface GuardCheck {
  readonly after: number;
  readonly view: string;
  readonly expectation: Expectation;
}

/**
 * A predicted copy of a host, used to forecast a run: the known values, plus the changes that each forecast task will
 * make. For a fact that a change may have touched, it guesses that the value stays the same. A guard after that change
 * must confirm the guess before a later task may rely on it. A value that no guard can check is treated as unknown.
 */
export class PredictedHost {
  /** Tracks which names refer to the same thing, as far as this is known or predicted. */
  readonly names: PathNames;
  readonly #things = new Map<string, Thing>();
  /**
   * By directory: the number of a change that may alter links or mounts on the directory's path. A guard must confirm
   * these links and mounts before a task may rely on them.
   */
  readonly #changedResolutions = new Map<string, number>();
  /** The checks in guards so far; the index is the number of the change that they follow. */
  readonly #held: Map<string, Expectation>[] = [];
  /** The facts that the changes so far disturb. Each thing is brought up to date at its next lookup. */
  readonly #disturbances = new PatternIndex<Disturbance>();
  #disturbed = 0;

  constructor(knowledge: Knowledge) {
    this.names = knowledge.names.copy();
    const { known, guesses } = knowledge.views();
    for (const [view, { fact, value, facets = none }] of known)
      this.#things.set(view, { fact, value, facets, since: undefined, at: 0 });
    for (const [view, { fact, value, facets = none }] of guesses) {
      if (!isControllerFact(fact))
        this.#things.set(view, { fact, value: guardablePart(fact, value), facets, since: 0, stale: true, at: 0 });
    }
  }

  /** Returns a thing as it will be after all changes so far. */
  #thing(view: string): Thing | undefined {
    const thing = this.#things.get(view);
    if (thing === undefined || thing.at === this.#disturbed) return thing;
    if (readsAnything(thing.fact)) {
      // After a change, only the host knows the result of a user's command.
      this.#things.delete(view);
      return undefined;
    }
    const id = factId(thing.fact);
    let after: Thing | undefined = thing;
    for (const disturbance of this.#disturbances.all(id, thing.at)) after &&= disturbedBy(after, id, disturbance);
    if (after === undefined) this.#things.delete(view);
    else this.#things.set(view, { ...after, at: this.#disturbed });
    return after;
  }

  /** Returns the value that a fact will have; undefined if the host or the controller must be asked. */
  lookup(asked: Fact): { readonly value: unknown } | undefined {
    if (this.names.needsResolution(asked)) return undefined;
    const fact = this.names.fact(asked);
    const thing = this.#thing(viewOf(fact));
    if (thing === undefined || isControllerFact(fact)) return thing;
    return fact.facets.every((facet) => thing.facets.has(facet)) ? thing : undefined;
  }

  /**
   * True if the value is certain, or will be certain once the guards so far have passed: the host need not be asked
   * again.
   */
  isSettled(asked: Fact): boolean {
    const fact = this.names.fact(asked);
    const thing = this.#thing(viewOf(fact));
    if (thing === undefined || this.lookup(asked) === undefined || this.#checksForResolutions(asked).length > 0)
      return false;
    if (thing.since === undefined || isControllerFact(fact)) return true;
    const held = this.#held[thing.since]?.get(viewOf(fact));
    return held !== undefined && fact.facets.every((facet) => held.question.facets.includes(facet));
  }

  /** The known facets of a fact. */
  facetsOf(fact: Fact): readonly string[] {
    return [...(this.#thing(viewOf(this.names.fact(fact)))?.facets ?? [])];
  }

  /**
   * The questions about the links and mounts on a fact's paths that must be sent along with the fact's own question,
   * because these links and mounts are unknown or not yet checked by a guard.
   */
  resolutionQuestions(fact: Fact): Question[] {
    return [
      ...this.names.resolutionQuestions(fact),
      ...this.#checksForResolutions(fact).map(({ expectation }) => expectation.question),
    ];
  }

  /** The question to send. */
  asked<F extends Fact>(fact: F): F {
    return fact;
  }

  /** Records an answer from the controller. */
  learn(fact: Fact, value: unknown): void {
    this.#things.set(viewOf(fact), { fact, value, facets: new Set(), since: undefined, at: this.#disturbed });
  }

  /**
   * The checks that guards need before a task may rely on these facts; empty if the facts are certain. `before`: only
   * checks in guards before this change. Throws UnknownValue if a guard cannot check a fact.
   */
  checksFor(facts: readonly Fact[], before = Infinity): GuardCheck[] {
    // A task may ask about one thing twice, with different facets: one check must include them all.
    const asked = new Map<string, readonly string[]>();
    return facts.flatMap((fact): GuardCheck[] => {
      const view = viewOf(this.names.fact(fact));
      const thing = this.#thing(view);
      const resolutions = this.#checksForResolutions(fact).filter(({ after }) => after < before);
      if (isControllerFact(fact) || thing?.since === undefined || thing.since >= before || isAdvice(fact))
        return resolutions;
      const { kind, key, secret } = fact;
      if (kindOf(kind).neverAhead === true) throw new UnknownValue(factId(fact));
      const held = asked.get(view) ?? this.#held[thing.since]?.get(view)?.question.facets ?? [];
      const facets = [...new Set([...fact.facets, ...held])].toSorted();
      asked.set(view, facets);
      const question = { kind, key, facets, ...(secret === true && { secret }) };
      return [...resolutions, { after: thing.since, view, expectation: expectationFor(question, thing.value) }];
    });
  }

  /** True if none of the changes so far can have touched these facts, so no guard needs to confirm them. */
  areCertain(facts: readonly Fact[]): boolean {
    return facts.every((fact) => this.#thing(viewOf(this.names.fact(fact)))?.since === undefined);
  }

  /** True if each of these facts is either not stale or can be checked by a guard before this change. */
  canCheck(facts: readonly Fact[], before: number): boolean {
    return facts.every((fact) => {
      const thing = isAdvice(fact) ? undefined : this.#thing(viewOf(this.names.fact(fact)));
      return thing?.stale !== true || (thing.since ?? 0) < before;
    });
  }

  /** The checks of the links and mounts on a fact's paths, if a change may have altered them. */
  #checksForResolutions(fact: Fact): GuardCheck[] {
    if (this.#changedResolutions.size === 0) return [];
    return this.names.resolutionsOf(fact).flatMap(({ question, value }): GuardCheck[] => {
      const after = this.#changedResolutions.get(question.key);
      const view = viewOf(question);
      if (after === undefined || this.#held[after]?.has(view) === true) return [];
      return [{ after, view, expectation: expectationFor(question, value) }];
    });
  }

  /** Adds these checks to the guards they belong to. */
  addChecks(checks: readonly GuardCheck[]): void {
    for (const { after, view, expectation } of checks) this.#guard(after).set(view, expectation);
  }

  /** The expectations of the guard after a change. */
  expectations(change: number): readonly Expectation[] {
    return [...(this.#held[change]?.values() ?? [])];
  }

  #guard(change: number): Map<string, Expectation> {
    return (this.#held[change] ??= new Map<string, Expectation>());
  }

  /**
   * Records a change, by its number in the forecast: the facts that it touches are no longer certain. `own`: the kinds
   * of the task's own facts.
   */
  noteChange(change: number, effects: Effects, own: ReadonlySet<string>): void {
    for (const directory of this.names.through(effects.disturbed)) this.#changedResolutions.set(directory, change);
    const at = (this.#disturbed += 1);
    const { disturbed, provided, touched, implied } = effects;
    const named = [...disturbed, ...provided, ...touched, ...implied.map(({ of }) => of)];
    const positive = named.filter((pattern) => !pattern.startsWith("!"));
    this.#disturbances.add(at, positive, { at, change, effects, own });
  }

  /**
   * Records the value that one of a task's own facts will have after its steps. Other views of the thing become
   * unknown.
   */
  predict(change: number, asked: Question, value: unknown): void {
    const fact = this.names.fact(asked);
    const view = viewOf(fact);
    const id = factId(fact);
    const { value: earlier = absent, facets: before = none } = this.#thing(view) ?? {};
    const parts = isRecord(value) ? Object.keys(kindOf(fact.kind).facets).filter((facet) => hasPart(value, facet)) : [];
    for (const other of [id, `${id}#secret`]) this.#things.delete(other);
    const facets = new Set([...fact.facets, ...before, ...parts]);
    // From now on, only the host knows what the paths below this path resolve to.
    const { linkTarget, ageing } = kindOf(fact.kind);
    if (linkTarget && linkTarget(earlier) !== linkTarget(value))
      this.names.forget([`${pathResolutionKind}:${exactly(fact.key)}`]);
    this.#things.set(view, {
      fact,
      value: guardablePart(fact, value, ageing),
      facets,
      since: change,
      at: this.#disturbed,
    });
    for (const parent of impliedParents(fact, value, (above) => this.lookup(above)?.value)) {
      this.#things.set(viewOf(this.names.fact(parent)), {
        fact: parent,
        value: kindOf(parent.kind).anything,
        facets: none,
        since: change,
        at: this.#disturbed,
      });
    }
  }
}

/** Returns a thing after a change that may touch it; undefined if the controller must be asked again. */
function disturbedBy(thing: Thing, id: string, { change, effects, own }: Disturbance): Thing | undefined {
  const { disturbed, provided, touched, renewed, implied } = effects;
  const { fact, value } = thing;
  const may = namesFact(provided, id);
  const sure = withImplied(id, value, implied);
  const goes = sure === value && namesFact(touched, id);
  if (!may && !goes && !namesFact(disturbed, id)) return thing;
  if (isControllerFact(fact)) return undefined;
  // Installing one package rarely also provides the next package in the list, but nearly always provides the package's
  // own unit, user and files.
  if (goes || (may && !own.has(fact.kind) && !isThere(fact, value)))
    return { ...thing, value: knownAfterApply, since: change };
  const { ageing, renewed: newParts } = kindOf(fact.kind);
  const after = namesFact(renewed, id) ? merge(sure, newParts) : sure;
  return { ...thing, value: guardablePart(fact, after, ageing), since: change };
}

function hasPart(value: Readonly<Record<string, unknown>>, facet: string): boolean {
  return value[facet] !== undefined && value[facet] !== knownAfterApply;
}

/**
 * The part of a value that a guard can check. Leaves out secrets, and all parts that change by themselves unless `stay`
 * lists them.
 */
function guardablePart(fact: Question, value: unknown, stay: readonly string[] = []): unknown {
  if (!isRecord(value)) return value;
  // A part that changes by itself may also appear if it was absent before.
  const parts: Record<string, unknown> = { ...value };
  for (const part of kindOf(fact.kind).volatile ?? []) if (!stay.includes(part)) parts[part] = knownAfterApply;
  for (const [part, inner] of Object.entries(value)) {
    if (fact.secret === true && holdsSecret(inner)) parts[part] = knownAfterApply;
  }
  return parts;
}

/** The expectation for a guard. Throws UnknownValue if a guard cannot check the value. */
function expectationFor(question: Question, value: unknown): Expectation {
  if (kindOf(question.kind).print === undefined) throw new UnknownValue(factId(question));
  try {
    return expectationOf(question, value);
  } catch {
    // The kind cannot print a predicted value like this one, so a guard cannot compare it.
    throw new UnknownValue(factId(question));
  }
}
