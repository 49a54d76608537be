import { type Fact, factId, isControllerFact, type Question } from "../../core/fact.ts";
import type { Answer } from "../../core/frame.ts";

/** What is known of a host, or foreseen. */
export interface Picture {
  /** The value of a fact, be it a guess; undefined where the host must be asked. */
  lookup(fact: Fact): { readonly value: unknown } | undefined;
  /** True where the host need not be asked again. */
  isSettled(fact: Fact): boolean;
  /** The facets known of a fact besides those asked now: a read renews them all. */
  facetsOf(fact: Fact): readonly string[];
  /** The ways to what a question is about that must be asked along with it. */
  waysFor(fact: Fact): readonly Question[];
  /** The question to send. */
  asked<F extends Fact>(fact: F): F;
}

/** Questions with their answers, in the same order. */
export interface Reading {
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
}

/** Adds a question, joined with what is asked or known of the same thing already. */
export function addQuestion(questions: Map<string, Fact>, fact: Fact, picture: Pick<Picture, "facetsOf">): void {
  if (isControllerFact(fact)) {
    questions.set(factId(fact), fact);
    return;
  }
  const view = `${factId(fact)}${fact.secret === true ? "#secret" : ""}`;
  const asked = questions.get(view) as Question | undefined;
  const facets = new Set([...fact.facets, ...(asked?.facets ?? []), ...picture.facetsOf(fact)]);
  questions.set(view, { ...fact, facets: [...facets].toSorted() });
}
