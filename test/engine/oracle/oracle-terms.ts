import { canonical, differences, UnknownValue } from "../../../src/core/facts/compare.ts";
import type { Bound, Values } from "../../../src/core/authoring/evaluate.ts";
import type { Fact } from "../../../src/core/facts/fact.ts";
import type { RanFact } from "../../../src/core/facts/ran.ts";
import type { StepResult } from "../../../src/core/host/step.ts";
import { isRecord, knownAfterApply } from "../../../src/core/facts/symbols.ts";

/** Thrown to stop a host in the middle of its plan. */
export class Failed extends Error {}

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** How one task ended, as each of the two executors reports it for the comparison. */
export interface Happening {
  readonly id: string;
  readonly outcome: string;
  readonly changes: readonly string[];
  readonly notes: readonly string[];
  readonly error?: string;
}

/** All facts of a record, with lists flattened. */
export function listOf(facts: object): { readonly fact: Fact }[] {
  return Object.values(facts as Record<string, Fact | Fact[]>).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).map((fact) => ({ fact })),
  );
}

/** The values of a task's facts, under the names that the task gives them. */
export function valueOf(facts: object, values: Values, fact: Fact): unknown {
  for (const [name, asked] of Object.entries(facts as Record<string, Fact | Fact[]>)) {
    if (asked === fact) return values[name];
    if (Array.isArray(asked) && asked.includes(fact)) return (values[name] as unknown[])[asked.indexOf(fact)];
  }
  return undefined;
}

/** True for facts that the executor answers, not the host. */
export function isRan(fact: Fact): fact is RanFact {
  return "kind" in fact && fact.kind === "ran";
}

/** Formats a change to a fact as comparable lines. */
export function describe({ fact, id, now, bound, match: matched }: Bound): string[] {
  if (matched === "same" || isRan(fact)) return [];
  return differences(now, bound).map(({ path, from, to }) => `${id} ${path} ${show(from)} ${show(to)}`);
}

/** Formats a value in a change as comparable text. */
export function show(value: unknown): string {
  if (typeof value === "symbol") return value.description ?? "";
  return isRecord(value) ? canonical(value) : JSON.stringify(value);
}

/** An expected failure, reduced to its code. */
export function codeError(code: string): Error {
  return Object.assign(new Error(code), { name: "FurrowError", failure: { what: code }, code });
}

/** Step results that throw when read, because only a run performs steps. */
export const nobodyKnows = new Proxy([] as readonly StepResult[], {
  get(): never {
    throw new UnknownValue("results");
  },
});

/** The result of a task's function; `knownAfterApply` if it uses a value that is not known yet. */
export function known(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnknownValue) return knownAfterApply;
    throw error;
  }
}
