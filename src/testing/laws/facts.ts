import { type Fact, factId, type FactPattern, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { allKinds } from "../../core/facts/kind.ts";
import { ranKind } from "../../core/facts/ran.ts";
import { factsOf } from "../trial.ts";
import { fingerprint } from "./fingerprint.ts";
import { sayError, type Subject, type Tried } from "./subject.ts";

/**
 * Facts must be the same when computed twice, and must use existing kinds and facets. Declared patterns must name facts
 * that can exist.
 */
export function factLaws({ module }: Subject, tried: readonly Tried[]): string[] {
  const asked = tried.flatMap(({ facts }) => listFacts(facts).map(({ fact }) => fact));
  const drivers = new Set(asked.filter(isControllerFact).map(({ driver }) => driver));
  return [
    ...tried.flatMap((trial) => [
      ...listFacts(trial.facts).flatMap(({ fact }) => questionLaws(fact)),
      ...pureFacts(trial),
      ...patternLaws(module.card, trial.params, drivers),
    ]),
    ...module.card.examples.flatMap((example) => {
      const { data, success } = module.card.params.safeParse(example);
      return success ? patternLaws(module.card, data, drivers) : [];
    }),
  ];
}

function questionLaws(fact: Fact): string[] {
  const id = factId(fact);
  if (isControllerFact(fact)) {
    const same = fingerprint(JSON.parse(JSON.stringify(fact.request))) === fingerprint(fact.request);
    return same ? [] : [`the request of ${id} is not JSON data`];
  }
  if (fact.kind === ranKind) return [];
  const kind = allKinds().find(({ name }) => name === fact.kind);
  if (kind === undefined) return [`${id} is of an undefined kind: import the module that defines it`];
  const unknown = fact.facets.filter((facet) => !(facet in kind.facets));
  return [
    ...unknown.map((facet) => `${id} asks for the facet "${facet}", which the kind ${kind.name} does not have`),
    ...(/[\n\0]/.test(fact.key) ? [`the key of ${JSON.stringify(id)} is not one line`] : []),
    ...(fact.facets.every((facet, at, all) => at === 0 || (all[at - 1] ?? "") < facet)
      ? []
      : [`the facets of ${id} are not sorted: create the fact with ask()`]),
  ];
}

function pureFacts(trial: Tried): string[] {
  const { module, params, facts } = trial;
  const before = fingerprint(params);
  const again = factsOf(module, params, trial.case.now);
  return [
    ...(fingerprint(again) === fingerprint(facts)
      ? []
      : [`case "${trial.case.title}": facts() returns different facts for the same params`]),
    ...(fingerprint(params) === before ? [] : [`case "${trial.case.title}": facts() changes the params`]),
  ];
}

/**
 * Patterns in `mayProvide`, `certainlyProvides` and `disturbs` must name an existing kind, or a driver that the task
 * uses. The patterns are checked with the params of one task.
 */
function patternLaws(card: Subject["module"]["card"], params: unknown, drivers: ReadonlySet<string>): string[] {
  return (["mayProvide", "certainlyProvides", "disturbs"] as const).flatMap((link) => {
    try {
      return (card[link]?.(params) ?? []).flatMap((pattern) => {
        const fault = faultOfPattern(pattern, drivers);
        return fault === undefined ? [] : [`${link} names "${pattern}", ${fault}`];
      });
    } catch (error) {
      return [`${link} fails: ${sayError(error)}`];
    }
  });
}

function faultOfPattern(pattern: FactPattern, drivers: ReadonlySet<string>): string | undefined {
  const named = pattern.startsWith("!") ? pattern.slice(1) : pattern;
  if (named === "everything") return undefined;
  const [kind = "", ...key] = named.split(":");
  if (key.join(":") === "") return 'which is not a pattern: write it like "unit:*"';
  return drivers.has(kind) || allKinds().some(({ name }) => name === kind) ? undefined : "whose kind is not defined";
}
