import { merge } from "../../../src/core/facts/compare.ts";
import type { Bound } from "../../../src/core/authoring/evaluate.ts";
import { type FactPattern, factId, namesFact, type Question } from "../../../src/core/facts/fact.ts";
import { kindOf } from "../../../src/core/facts/kind.ts";
import type { RanFact } from "../../../src/core/facts/ran.ts";
import { knownAfterApply } from "../../../src/core/facts/symbols.ts";
import { isRan } from "./oracle-terms.ts";

interface Part {
  readonly host: string;
  readonly names: (id: string) => boolean;
  readonly value: unknown;
  readonly provided?: true;
  /** The label of an act that would have run by then; see `ran`. */
  readonly act?: string;
}

/** The naive executor's check mode: the changes that earlier tasks would have made to facts, the newest last. */
export class Overlay {
  readonly #parts: Part[] = [];

  /** Records that facts with these ids will have this value. */
  put(host: string, names: (id: string) => boolean, value: unknown): void {
    this.#parts.push({ host, names, value });
  }

  /** Predicts that a fact will have its wanted value; the facts that the change touches become unknown. */
  predict(host: string, question: Question, now: unknown, wanted: unknown): void {
    const { kind: name, key } = question;
    const kind = kindOf(name);
    const value = kind.predict ? kind.predict(now, wanted, { user: "root" }) : merge(now, wanted);
    this.put(host, (id) => id === factId(question), value);
    const touched = now === knownAfterApply ? [] : (kind.touches?.(key, now, value) ?? []);
    if (touched.length > 0) this.put(host, (id) => namesFact(touched, id), knownAfterApply);
  }

  /** Records that a task may provide all facts matching the patterns. */
  cloud(host: string, patterns: readonly FactPattern[]): void {
    if (patterns.length === 0) return;
    this.#parts.push({ host, names: (id) => namesFact(patterns, id), value: knownAfterApply, provided: true });
  }

  /** Records that the wanted acts would have run, for all later tasks that ask about them. */
  act(host: string, facts: readonly Bound[]): void {
    for (const { fact, wanted } of facts)
      if (isRan(fact) && wanted === true && fact.until !== undefined)
        this.#parts.push({ host, names: () => false, value: true, act: fact.key });
  }

  /** True if an act would have run and nothing after it requires it again. */
  hasActed(host: string, { key, until = [] }: RanFact): boolean {
    const done = this.#parts.findLastIndex((part) => part.host === host && part.act === key);
    const later = this.#parts.slice(done + 1).filter((part) => part.host === host);
    return done !== -1 && !later.some(({ names }) => until.some(names));
  }

  /** True if an earlier task may have provided this fact. */
  isCloudy(host: string, id: string): boolean {
    return this.#parts.some((part) => part.host === host && part.provided === true && part.names(id));
  }

  /** The predicted value of a fact. `beneath`: as if nothing had been provided. */
  find(host: string, id: string, beneath: boolean): { readonly value: unknown } | undefined {
    return this.#parts.findLast((part) => part.host === host && part.names(id) && !(beneath && part.provided === true));
  }
}
