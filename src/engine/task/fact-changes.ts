import { differences } from "../../core/facts/compare.ts";
import type { Bound } from "../../core/authoring/evaluate.ts";
import type { FactChange } from "../../core/events.ts";
import { factId, isControllerFact, type Question } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import type { Host } from "../host/host.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { Reading } from "../host/questions.ts";

/**
 * The changes for reports: the facts that differ from the want. `shown`: old content by fact id, if the report shows
 * it.
 */
export function factChanges(
  facts: readonly Bound[],
  diff: boolean,
  shown: ReadonlyMap<string, unknown> = new Map(),
): FactChange[] {
  return facts.filter(isChanged).map((fact) => {
    const secret = !isControllerFact(fact.fact) && fact.fact.secret === true;
    // An absent thing has no old content to read; the new content is known.
    const before = fact.now === absent && diff && !secret ? absent : shown.get(fact.id);
    if (before === undefined) return { fact: fact.id, differences: differences(fact.now, fact.bound), secret };
    return { fact: fact.id, differences: differences(before, fact.wanted), secret };
  });
}

function isChanged({ match, fact }: Bound): boolean {
  return match !== "same" && !isRan(fact);
}

/** For reports that show old content: the questions about the old content of things that will change. */
export function shownQuestions(facts: readonly Bound[]): Question[] {
  return facts.filter(isChanged).flatMap(({ fact, now, wanted }): Question[] => {
    if (isControllerFact(fact) || fact.secret === true || !isRecord(wanted) || now === absent) return [];
    const shown = (kindOf(fact.kind).shown ?? []).filter((facet) => facet in wanted && !fact.facets.includes(facet));
    return shown.length === 0 ? [] : [{ ...fact, facets: [...fact.facets, ...shown].toSorted() }];
  });
}

/**
 * Old content by fact id. Content that could not be read is left out: it is only for display, so an error here does not
 * fail the task.
 */
export function shownValues({ questions, answers }: Reading): Map<string, unknown> {
  const values = new Map<string, unknown>();
  questions.forEach((question, index) => {
    const answer = answers[index];
    if (answer !== undefined && "value" in answer) values.set(factId(question), answer.value);
  });
  return values;
}

/** Reads old content in a separate frame. */
export async function readShown(
  facts: readonly Bound[],
  host: Host,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const questions = shownQuestions(facts);
  if (questions.length === 0) return new Map();
  const [result] = await host.frame({ items: [{ item: "read", questions }] }, signal);
  return shownValues({ questions, answers: result?.item === "read" ? result.answers : [] });
}
