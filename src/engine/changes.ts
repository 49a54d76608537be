import { differences } from "../core/compare.ts";
import type { Bound } from "../core/evaluate.ts";
import type { FactChange } from "../core/events.ts";
import { isControllerFact, type Question } from "../core/fact.ts";
import { kindOf } from "../core/kind.ts";
import { absent, isRecord } from "../core/symbols.ts";
import type { Host } from "./host.ts";
import { isRan } from "./ahead.ts";

/** What reports say about the facts that are not as wanted. */
export async function factChanges(
  facts: readonly Bound[],
  host: Host,
  diff: boolean,
  signal: AbortSignal,
): Promise<FactChange[]> {
  const changed = facts.filter(({ match, fact }) => match !== "same" && !isRan(fact));
  const shown = diff ? await readShown(changed, host, signal) : new Map<string, unknown>();
  return changed.map((fact) => {
    const secret = !isControllerFact(fact.fact) && fact.fact.secret === true;
    // What is not there yet has no old content to read: the new one is known.
    const before = fact.now === absent && diff && !secret ? absent : shown.get(fact.id);
    if (before === undefined) return { fact: fact.id, differences: differences(fact.now, fact.bound), secret };
    return { fact: fact.id, differences: differences(before, fact.wanted), secret };
  });
}

/** The old content of what is about to change, for a report that shows it. Failing to read it is no failure. */
async function readShown(changed: readonly Bound[], host: Host, signal: AbortSignal): Promise<Map<string, unknown>> {
  const wanted = changed.flatMap((bound): { id: string; question: Question }[] => {
    const { fact, now } = bound;
    if (isControllerFact(fact) || fact.secret === true || !isRecord(bound.wanted)) return [];
    const shown = (kindOf(fact.kind).shown ?? []).filter((facet) => facet in (bound.wanted as object));
    const missing = shown.filter((facet) => !isRecord(now) || !(facet in now));
    if (now === absent || missing.length === 0) return [];
    return [{ id: bound.id, question: { ...fact, facets: [...fact.facets, ...missing].toSorted() } }];
  });
  const values = new Map<string, unknown>();
  if (wanted.length === 0) return values;
  const [result] = await host.frame(
    { items: [{ item: "read", questions: wanted.map(({ question }) => question) }] },
    signal,
  );
  if (result?.item !== "read") return values;
  wanted.forEach(({ id }, index) => {
    const answer = result.answers[index];
    if (answer !== undefined && "value" in answer) values.set(id, answer.value);
  });
  return values;
}
