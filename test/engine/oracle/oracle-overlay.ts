import { merge } from "../../../src/core/facts/compare.ts";
import type { Bound } from "../../../src/core/authoring/evaluate.ts";
import { type FactPattern, factId, isControllerFact, namesFact, type Question } from "../../../src/core/facts/fact.ts";
import { kindOf } from "../../../src/core/facts/kind.ts";
import type { TaskDefinition } from "../../../src/core/authoring/task-definition.ts";
import type { RanFact } from "../../../src/core/facts/ran.ts";
import { knownAfterApply } from "../../../src/core/facts/symbols.ts";
import { isRan } from "./oracle-terms.ts";

interface Part {
  readonly host: string;
  readonly names: (id: string) => boolean;
  readonly value: unknown;
  readonly provided?: true;
  /** The label of an act that an earlier task would have run; see `ran`. */
  readonly act?: string;
  /** True if this is the result of a user's command, which changes no facts by itself. */
  readonly answer?: true;
  /** True if only the results of users' commands may change; the facts keep their values. */
  readonly hidden?: true;
}

/** The naive executor's check mode: the changes that earlier tasks would have made to facts, newest last. */
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
    const isAnswer = kind.readsAnything === true;
    this.#parts.push({ host, names: (id) => id === factId(question), value, ...(isAnswer && { answer: true }) });
    const touched = now === knownAfterApply ? [] : (kind.touches?.(key, now, value) ?? []);
    if (touched.length > 0) this.put(host, (id) => namesFact(touched, id), knownAfterApply);
  }

  /**
   * Records what a task's steps do besides satisfying its wants, and then what the users' commands among its facts
   * find.
   */
  sideEffects(host: string, card: TaskDefinition["card"], params: unknown, facts: readonly Bound[]): void {
    this.#cloud(host, card.mayProvide?.(params) ?? []);
    this.#disturb(host, card.disturbs?.(params));
    this.#answer(host, facts);
  }

  /** Records that a task may provide all facts matching the patterns. */
  #cloud(host: string, patterns: readonly FactPattern[]): void {
    if (patterns.length === 0) return;
    this.#parts.push({ host, names: (id) => namesFact(patterns, id), value: knownAfterApply, provided: true });
  }

  /** Records side effects of a task's steps that its facts do not show; undefined means any effect. */
  #disturb(host: string, patterns: readonly FactPattern[] | undefined): void {
    if (patterns?.length === 0) return;
    const names = (id: string): boolean => patterns === undefined || namesFact(patterns, id);
    this.#parts.push({ host, names, value: undefined, hidden: true });
  }

  /** Records what the users' commands of a task find after all of its steps. */
  #answer(host: string, facts: readonly Bound[]): void {
    for (const { fact, now, wanted } of facts) {
      if (wanted === undefined || isControllerFact(fact) || isRan(fact)) continue;
      if (kindOf(fact.kind).readsAnything === true) this.predict(host, fact, now, wanted);
    }
  }

  /** True if the answer of a user's command may have changed since it was last predicted. */
  #mayFindElse(host: string, question: Question): boolean {
    const own = this.#parts.filter((part) => part.host === host && part.act === undefined);
    const last = own.findLastIndex((part) => part.answer === true && part.names(factId(question)));
    const since = own.slice(last + 1).filter((part) => part.answer !== true);
    return since.some(({ names }) => question.reads === undefined || question.reads.some(names));
  }

  /** Records that the wanted actions would have been performed, for all later tasks that ask about them. */
  act(host: string, facts: readonly Bound[]): void {
    for (const { fact, wanted } of facts)
      if (isRan(fact) && wanted === true && fact.until !== undefined)
        this.#parts.push({ host, names: () => false, value: true, act: fact.key });
  }

  /** True if an act would have run and nothing since then requires it to run again. */
  hasActed(host: string, { key, until = [] }: RanFact): boolean {
    const done = this.#parts.findLastIndex((part) => part.host === host && part.act === key);
    const later = this.#parts.slice(done + 1).filter((part) => part.host === host && part.hidden !== true);
    return done !== -1 && !later.some(({ names }) => until.some(names));
  }

  /** True if an earlier task may have provided this fact. */
  isCloudy(host: string, id: string): boolean {
    return this.#parts.some((part) => part.host === host && part.provided === true && part.names(id));
  }

  /** The predicted value of a fact. `beneath`: ignores what earlier tasks may have provided. */
  find(host: string, fact: Question, beneath: boolean): { readonly value: unknown } | undefined {
    if (kindOf(fact.kind).readsAnything === true && this.#mayFindElse(host, fact)) return { value: knownAfterApply };
    return this.#parts.findLast(
      (part) =>
        part.host === host && part.hidden !== true && part.names(factId(fact)) && !(beneath && part.provided === true),
    );
  }
}
