import { type Fact, factId, type FactPattern, isControllerFact, namesFact } from "../core/fact.ts";
import { type Implied, withImplied } from "../core/implied.ts";
import { PatternIndex } from "../core/pattern-index.ts";
import type { RanFact } from "../core/ran.ts";
import { knownAfterApply } from "../core/symbols.ts";

/** A value as it is known. */
export interface Known {
  readonly fact: Fact;
  readonly value: unknown;
  /** Facets the value has; undefined means all there are, as in a prediction. */
  readonly facets: ReadonlySet<string> | undefined;
  /** The task whose prediction this is. */
  readonly by: string | undefined;
}

/** A value with its place in the order of all that was learnt and forgotten. */
interface Dated extends Known {
  readonly at: number;
}

/** A task that may already have brought facts to where a later task wants them: check mode cannot tell. */
interface Cloud {
  readonly by: string;
  /** True where the task may only bring a fact about: what is right already stays right. */
  readonly provides: boolean;
}

/** What a task's change makes of other things, in check mode. */
interface Consequence {
  readonly implied: Implied;
  readonly by: string;
  /** The change may not come. */
  readonly perhaps: boolean;
}

/** A fact's value as far as it is known, and which task it depends on if it was not read from the host. */
export interface Lookup {
  readonly value: unknown;
  readonly by: string | undefined;
}

/**
 * What is known of one host at this point of the run: values read and, in check mode, values predicted. Every change
 * takes out what it may have touched. Changes are kept by the patterns they name and looked up by fact, so that a change
 * costs the same whatever else is known.
 */
export class Knowledge {
  /** Numbers everything that happens, in order. */
  #clock = 0;
  readonly #known = new Map<string, Dated>();
  /** A run: what must be read again. A value that is older than an entry here is a guess. */
  readonly #forgotten = new PatternIndex<undefined>();
  readonly #clouds = new PatternIndex<Cloud>();
  /** Check mode: when a fact was last predicted. Clouds and consequences of before do not concern it. */
  readonly #predictedAt = new Map<string, number>();
  /** Check mode: acts that will have been done, by label, each with the facts whose change calls for it anew. */
  readonly #acts = new Map<string, readonly FactPattern[]>();
  readonly #consequences = new PatternIndex<Consequence>();

  /** The value of a fact; undefined where the host must be asked. */
  lookup(fact: Fact): Lookup | undefined {
    const id = factId(fact);
    const cloud = this.#clouds.first(id, this.#predicted(id));
    return cloud ? { value: knownAfterApply, by: cloud.by } : this.#lookupKnown(fact, id);
  }

  /** True where the host need not be asked again. */
  isSettled(fact: Fact): boolean {
    return this.lookup(fact) !== undefined;
  }

  /** The value below what may be provided: as read, or as predicted before. Undefined where the host must be asked. */
  beneath(fact: Fact): Lookup | undefined {
    const id = factId(fact);
    const harm = this.#clouds.first(id, this.#predicted(id), ({ provides }) => !provides);
    return harm ? { value: knownAfterApply, by: harm.by } : this.#lookupKnown(fact, id);
  }

  #predicted(id: string): number {
    return this.#predictedAt.get(id) ?? 0;
  }

  #lookupKnown(fact: Fact, id: string): Lookup | undefined {
    const known = this.#valid(viewOf(fact)) ?? this.#prediction(id);
    return known !== undefined && covers(known, fact) ? this.#behind(id, known) : undefined;
  }

  /** What is known under a view, unless it must be read again. */
  #valid(view: string): Dated | undefined {
    const known = this.#known.get(view);
    return known === undefined || this.#isForgotten(known) ? undefined : known;
  }

  #isForgotten({ fact, at }: Dated): boolean {
    return this.#forgotten.names(factId(fact), at);
  }

  /** The value behind what changes so far imply. */
  #behind(id: string, { value, by }: Lookup): Lookup {
    return this.#consequences.all(id, this.#predicted(id)).reduce<Lookup>(
      (before, { implied, by: task, perhaps }) => {
        const after = withImplied(id, before.value, [implied], perhaps);
        return after === before.value ? before : { value: after, by: task };
      },
      { value, by },
    );
  }

  #prediction(id: string): Dated | undefined {
    const known = this.#valid(id);
    return known?.facets === undefined ? known : undefined;
  }

  /** The facets known of a fact besides those asked now: a read renews them all. */
  facetsOf(fact: Fact): readonly string[] {
    return [...(this.#valid(viewOf(fact))?.facets ?? [])];
  }

  /** Takes in what the host or the controller answered. */
  learn(fact: Fact, value: unknown): void {
    const facets = new Set(isControllerFact(fact) ? [] : fact.facets);
    this.#known.set(viewOf(fact), { fact, value, facets, by: undefined, at: this.#tick() });
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  /** Check mode: what the fact will be once `by` has run. A predicted fact no longer depends on what came before. */
  predict(fact: Fact, value: unknown, by: string): void {
    const id = factId(fact);
    const at = this.#tick();
    this.#undo([id]);
    this.#known.delete(`${id}#secret`);
    this.#known.set(id, { fact, value, facets: undefined, by, at });
    this.#predictedAt.set(id, at);
  }

  /** Check mode: facts named by the patterns are for `by` to decide, from here on: it may bring them about. */
  mayProvide(patterns: readonly FactPattern[], by: string): void {
    this.#undo(patterns);
    this.#clouds.add(this.#tick(), patterns, { by, provides: true });
  }

  /** Check mode: a change made by `by` touches these facts, and nobody knows how. */
  touched(patterns: readonly FactPattern[], by: string): void {
    this.#undo(patterns);
    this.#clouds.add(this.#tick(), patterns, { by, provides: false });
  }

  /** Check mode: an act that leaves nothing to look at will have been done. Without `until` it holds for nobody else. */
  act({ key, until }: RanFact): void {
    if (until !== undefined) this.#acts.set(key, until);
  }

  /** True where an earlier task will have done this, and nothing that calls for it anew changes after that. */
  hasActed({ key }: RanFact): boolean {
    return this.#acts.has(key);
  }

  #undo(patterns: readonly FactPattern[]): void {
    for (const [label, until] of this.#acts) {
      if (until.some((one) => patterns.some((pattern) => namesFact([pattern], one) || namesFact([one], pattern))))
        this.#acts.delete(label);
    }
  }

  /** Check mode: a change made by `by` implies these; `perhaps` where nobody knows whether it comes. */
  implies(implied: readonly Implied[], by: string, perhaps: boolean): void {
    this.#undo(implied.map(({ of }) => of));
    for (const one of implied) this.#consequences.add(this.#tick(), [one.of], { implied: one, by, perhaps });
  }

  /** A run: facts named by the patterns must be read again before they are believed. */
  forget(patterns: readonly FactPattern[]): void {
    this.#forgotten.add(this.#tick(), patterns, undefined);
  }

  /** All that is known, and all that can be guessed at: values that have not been read since they may have changed. */
  views(): { readonly known: ReadonlyMap<string, Known>; readonly guesses: ReadonlyMap<string, Known> } {
    const known = new Map<string, Known>();
    const guesses = new Map<string, Known>();
    for (const [view, value] of this.#known) (this.#isForgotten(value) ? guesses : known).set(view, value);
    return { known, guesses };
  }

  /** Everything must be read again: another boot, another connection after a loss. */
  forgetAll(): void {
    this.#known.clear();
    this.#forgotten.clear();
  }
}

/** What a value is kept under: a secret view of a thing is another than the plain one. */
export function viewOf(fact: Fact): string {
  return !isControllerFact(fact) && fact.secret === true ? `${factId(fact)}#secret` : factId(fact);
}

function covers(known: Known, fact: Fact): boolean {
  return isControllerFact(fact) || known.facets === undefined || fact.facets.every((facet) => known.facets?.has(facet));
}
