import { type Fact, factId, type FactPattern, isControllerFact, namesFact } from "../core/fact.ts";
import { type Implied, withImplied } from "../core/implied.ts";
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

/** A task that may already have brought facts to where a later task wants them: check mode cannot tell. */
interface Cloud {
  readonly patterns: readonly FactPattern[];
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
  /** What a later task has predicted in its turn. */
  readonly past: ReadonlySet<string>;
}

/** A fact's value as far as it is known, and which task it depends on if it was not read from the host. */
export interface Lookup {
  readonly value: unknown;
  readonly by: string | undefined;
}

/**
 * What is known of one host at this point of the run: values read and, in check mode, values predicted. Every change
 * takes out what it may have touched.
 */
export class Knowledge {
  readonly #known = new Map<string, Known>();
  /** Values that must be read again before they are believed: as good a guess as any at what they are. */
  readonly #guesses = new Map<string, Known>();
  #clouds: Cloud[] = [];
  /** Check mode: acts that will have been done, by label, each with the facts whose change calls for it anew. */
  readonly #acts = new Map<string, readonly FactPattern[]>();
  #consequences: Consequence[] = [];

  /** The value of a fact; undefined where the host must be asked. */
  lookup(fact: Fact): Lookup | undefined {
    const id = factId(fact);
    const cloud = this.#clouds.find(({ patterns }) => namesFact(patterns, id));
    return cloud ? { value: knownAfterApply, by: cloud.by } : this.#lookupKnown(fact);
  }

  /** True where the host need not be asked again. */
  isSettled(fact: Fact): boolean {
    return this.lookup(fact) !== undefined;
  }

  /** The value below what may be provided: as read, or as predicted before. Undefined where the host must be asked. */
  beneath(fact: Fact): Lookup | undefined {
    const id = factId(fact);
    const harm = this.#clouds.find(({ patterns, provides }) => !provides && namesFact(patterns, id));
    return harm ? { value: knownAfterApply, by: harm.by } : this.#lookupKnown(fact);
  }

  #lookupKnown(fact: Fact): Lookup | undefined {
    const known = this.#known.get(viewOf(fact)) ?? this.#predicted(factId(fact));
    return known !== undefined && covers(known, fact) ? this.#behind(factId(fact), known) : undefined;
  }

  /** The value behind what changes so far imply. */
  #behind(id: string, { value, by }: Lookup): Lookup {
    return this.#consequences.reduce<Lookup>(
      (before, { implied, by: task, perhaps, past }) => {
        const after = past.has(id) ? before.value : withImplied(id, before.value, [implied], perhaps);
        return after === before.value ? before : { value: after, by: task };
      },
      { value, by },
    );
  }

  #predicted(id: string): Known | undefined {
    const known = this.#known.get(id);
    return known?.facets === undefined ? known : undefined;
  }

  /** The facets known of a fact besides those asked now: a read renews them all. */
  facetsOf(fact: Fact): readonly string[] {
    return [...(this.#known.get(viewOf(fact))?.facets ?? [])];
  }

  /** Takes in what the host or the controller answered. */
  learn(fact: Fact, value: unknown): void {
    const facets = new Set(isControllerFact(fact) ? [] : fact.facets);
    this.#guesses.delete(viewOf(fact));
    this.#known.set(viewOf(fact), { fact, value, facets, by: undefined });
  }

  /** Check mode: what the fact will be once `by` has run. What is predicted is no longer in anyone's cloud. */
  predict(fact: Fact, value: unknown, by: string): void {
    const id = factId(fact);
    this.#undo([id]);
    this.#known.delete(`${id}#secret`);
    this.#known.set(id, { fact, value, facets: undefined, by });
    this.#clouds = this.#clouds.map((cloud) =>
      namesFact(cloud.patterns, id) ? { ...cloud, patterns: [...cloud.patterns, `!${id}`] } : cloud,
    );
    this.#consequences = this.#consequences.map((one) => ({ ...one, past: new Set([...one.past, id]) }));
  }

  /** Check mode: facts named by the patterns are for `by` to decide, from here on: it may bring them about. */
  mayProvide(patterns: readonly FactPattern[], by: string): void {
    this.#undo(patterns);
    if (patterns.length > 0) this.#clouds.push({ patterns, by, provides: true });
  }

  /** Check mode: a change made by `by` touches these facts, and nobody knows how. */
  touched(patterns: readonly FactPattern[], by: string): void {
    this.#undo(patterns);
    if (patterns.length > 0) this.#clouds.push({ patterns, by, provides: false });
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
    for (const one of implied) this.#consequences.push({ implied: one, by, perhaps, past: new Set() });
  }

  /** A run: facts named by the patterns must be read again before they are believed. */
  forget(patterns: readonly FactPattern[]): void {
    for (const [view, known] of this.#known) {
      if (!namesFact(patterns, factId(known.fact))) continue;
      this.#known.delete(view);
      this.#guesses.set(view, known);
    }
  }

  /** All that is known, and all that can be guessed at: values that have not been read since they may have changed. */
  views(): { readonly known: ReadonlyMap<string, Known>; readonly guesses: ReadonlyMap<string, Known> } {
    return { known: this.#known, guesses: this.#guesses };
  }

  /** Everything must be read again: another boot, another connection after a loss. */
  forgetAll(): void {
    this.#known.clear();
    this.#guesses.clear();
  }
}

/** What a value is kept under: a secret view of a thing is another than the plain one. */
export function viewOf(fact: Fact): string {
  return !isControllerFact(fact) && fact.secret === true ? `${factId(fact)}#secret` : factId(fact);
}

function covers(known: Known, fact: Fact): boolean {
  return isControllerFact(fact) || known.facets === undefined || fact.facets.every((facet) => known.facets?.has(facet));
}
