import { type Fact, factId, isControllerFact, type Question } from "../../core/facts/fact.ts";
import type { Answer } from "../../core/host/frame.ts";

/**
 * The part of a host's knowledge that is needed to read facts. `Knowledge` implements this interface with known values,
 * `PredictedHost` with predicted values.
 */
export interface ReadContext {
  /** The value of a fact, which may be a guess; undefined if the host must be asked. */
  lookup(fact: Fact): { readonly value: unknown } | undefined;
  /** True if the host need not be asked again. */
  isSettled(fact: Fact): boolean;
  /** The known facets of a fact. A read asks for these again, along with the facets that are asked for now. */
  facetsOf(fact: Fact): readonly string[];
  /**
   * The questions about the links and mounts on a fact's paths that must be sent along with the fact's own question.
   */
  resolutionQuestions(fact: Fact): readonly Question[];
  /** The question to send. */
  asked<F extends Fact>(fact: F): F;
}

/** Questions with their answers, in the same order. */
export interface Reading {
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
}

/** Adds a question, merged with the facets that are already asked for or known about the same thing. */
export function addQuestion(questions: Map<string, Fact>, fact: Fact, picture: Pick<ReadContext, "facetsOf">): void {
  if (isControllerFact(fact)) {
    questions.set(factId(fact), fact);
    return;
  }
  const view = `${factId(fact)}${fact.secret === true ? "#secret" : ""}`;
  const asked = questions.get(view) as Question | undefined;
  const more = [...(asked?.facets ?? []), ...picture.facetsOf(fact)];
  // Most facts are asked for once, with one facet.
  if (more.length === 0 && fact.facets.length < 2) questions.set(view, fact);
  else questions.set(view, { ...fact, facets: [...new Set([...fact.facets, ...more])].toSorted() });
}
