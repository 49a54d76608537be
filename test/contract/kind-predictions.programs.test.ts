import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonical, holdsUnknown } from "../../src/core/facts/compare.ts";
import { expectationOf, linesOf } from "../../src/core/facts/expectation.ts";
import type { Question } from "../../src/core/facts/fact.ts";
import type { Expectation } from "../../src/core/host/frame.ts";
import { allKinds, type Kind } from "../../src/core/facts/kind.ts";
import { predictionOf } from "../../src/core/facts/prediction.ts";
import { absent, isRecord } from "../../src/core/facts/symbols.ts";
import { changedLater } from "../../src/core/facts/watched.ts";
import { covered } from "../covered.ts";
import { arbitraries } from "./arbitraries.ts";
import { recorded } from "./questions.ts";

/** Values of a kind: generated if possible, otherwise taken from the tasks' cases. */
function valuesOf(name: string): fc.Arbitrary<unknown> | undefined {
  const values = recorded.flatMap(({ question, value }) => (question.kind === name ? [value] : []));
  return arbitraries[name] ?? (values.length === 0 ? undefined : fc.constantFrom(...values));
}

/** A want: some parts of a value, all parts if the object does not exist yet, or `absent`. */
function wantFrom(before: unknown, value: unknown, chosen: readonly boolean[]): unknown {
  if (!isRecord(value)) return absent;
  if (!isRecord(before)) return value;
  return Object.fromEntries(Object.entries(value).filter((_, at) => chosen[at % chosen.length] === true));
}

function expectationIn(question: Question, value: unknown): Expectation | undefined {
  try {
    return expectationOf(question, value);
  } catch {
    // The kind cannot predict the lines of this fact, so nothing is derived from the fact.
    return undefined;
  }
}

/** The parts of a prediction that a guard accepts although they differ from the real value. */
function unheld(kind: Kind, question: Question, predicted: unknown, real: unknown): string[] {
  const guard = expectationIn(question, predicted);
  if (guard === undefined || !isRecord(predicted) || !isRecord(real)) return [];
  const open = Object.entries(linesOf(question, real)).filter(([name]) => guard.open?.includes(name));
  let found: unknown;
  try {
    found = kind.parse({ ...guard.lines, ...Object.fromEntries(open) }, question);
  } catch {
    // A host cannot print these lines.
    return [];
  }
  if (!isRecord(found)) return [`${String(found)} instead of a value`];
  const now = found;
  return Object.entries(predicted)
    .filter(([part, value]) => part in now && !kind.volatile?.includes(part) && value !== changedLater)
    .filter(([, value]) => !holdsUnknown(value))
    .filter(([part, value]) => canonical(value) !== canonical(now[part]))
    .map(([part]) => part);
}

describe("a guard never accepts a value that differs from the prediction, whatever the open lines contain", () => {
  const kinds = allKinds().filter(({ print, name }) => print !== undefined && valuesOf(name) !== undefined);
  let tried = 0;

  test.each(kinds.map((kind) => ({ name: kind.name, kind })))("$name", ({ name, kind }) => {
    const values = valuesOf(name) ?? fc.constant(absent);
    const question = { kind: name, key: "/key", facets: Object.keys(kind.facets).toSorted() };
    const chosen = fc.array(fc.boolean(), { minLength: 5, maxLength: 9 });
    fc.assert(
      fc.property(values, values, values, chosen, (before, after, real, some) => {
        const predicted = predictionOf(question, before, wantFrom(before, after, some), { user: "root" });
        expect(unheld(kind, question, predicted, real)).toEqual([]);
        tried += 1;
      }),
      { numRuns: 300 },
    );
  });

  test("is tested with more than 5000 predictions", () => {
    expect(tried).toBeGreaterThan(5000);
    covered(`${tried} predictions of ${kinds.length} kinds`);
  });
});
