import { describe, expect, test } from "vitest";
import { z } from "zod";
import { UnknownValue } from "../facts/compare.ts";
import { askStages, collect, decide, stepsOf, type Values } from "./evaluate.ts";
import { type Facts, onlyRead } from "../facts/fact.ts";
import { ask, defineKind } from "../facts/kind.ts";
import { ran } from "../facts/ran.ts";
import { refuse } from "./refusal.ts";
import { run, type Step } from "../host/step.ts";
import { absent, knownAfterApply } from "../facts/symbols.ts";
import { task } from "./task.ts";
import type { TaskDefinition } from "./task-definition.ts";

const box = defineKind<{ readonly size: number; readonly text?: string }>({
  name: "evaluated-box",
  summary: "A box",
  facets: {},
  read: () => "",
  parse: ({ size }) => ({ size: Number(size) }),
  bind: (wanted) =>
    typeof wanted === "object" && wanted !== null && "text" in wanted ? { size: String(wanted.text).length } : wanted,
});
const card = { name: "t", summary: "Try", params: z.strictObject({}), examples: [{}] };
const facts: Facts = { one: ask(box, "1"), many: [ask(box, "2"), ask(box, "3")], ran: ran("x") };
const values: Values = { one: { size: 1 }, many: [{ size: 2 }, { size: 3 }], ran: false };

function definition(
  want: (now: never) => object,
  steps: (context: never) => readonly unknown[] = () => [],
): TaskDefinition {
  return task(card)
    .facts(() => facts)
    .want((_p, now) => want(now as never))
    .steps((_p, context) => steps(context as never) as never).definition;
}

function changesOf(want: object, seen = values): unknown {
  let told: unknown;
  const module = definition(
    () => want,
    (context: never) => {
      told = (context as { change: unknown }).change;
      return [];
    },
  );
  const decision = decide(module, {}, facts, seen);
  if ("refusal" in decision) throw new Error("refused");
  stepsOf(module, {}, facts, seen, decision);
  return told;
}

describe("decide", () => {
  test.each([
    { want: {}, match: "same" },
    { want: { one: { size: 1 }, many: [{ size: 2 }] }, match: "same" },
    { want: { many: [undefined, { size: 4 }] }, match: "differs" },
    { want: { one: { text: "x" } }, match: "same" },
    { want: { one: { text: "xx" } }, match: "differs" },
    { want: { ran: true }, match: "differs" },
    { want: { one: knownAfterApply }, match: "same" },
  ])("compares $want with the facts: $match", ({ want, match }) => {
    expect(
      decide(
        definition(() => want),
        {},
        facts,
        values,
      ),
    ).toMatchObject({ match });
  });
  test("treats a change as uncertain if a part is unknown, but as certain if a known part differs", () => {
    const seen = { ...values, one: knownAfterApply };
    expect(
      decide(
        definition(() => ({ one: { size: 1 } })),
        {},
        facts,
        seen,
      ),
    ).toMatchObject({ match: "unknown" });
    const both = definition(() => ({ one: { size: 1 }, many: [{ size: 9 }] }));
    expect(decide(both, {}, facts, seen)).toMatchObject({ match: "differs" });
  });
  test("throws if the want reads an unknown value, and returns the want's refusal", () => {
    const looks = definition(({ one }: never) => ({ one: { size: (one as { size: number }).size } }));
    expect(() => decide(looks, {}, facts, { ...values, one: knownAfterApply })).toThrow(UnknownValue);
    const refuses = definition(() => refuse({ code: "no", message: "no" }));
    expect(decide(refuses, {}, facts, values)).toMatchObject({ refusal: { reason: { code: "no" } } });
  });
});

describe("the context of steps", () => {
  test("contains only the facts that differ, under the task's own names, with the want as the task wrote it", () => {
    expect(changesOf({ one: { text: "xx" }, many: [{ size: 2 }, { size: 4 }], ran: true })).toEqual({
      one: { from: { size: 1 }, to: { text: "xx" }, paths: ["size"] },
      many: [undefined, { from: { size: 3 }, to: { size: 4 }, paths: ["size"] }],
      ran: { from: false, to: true, paths: [""] },
    });
    expect(changesOf({ one: absent })).toEqual({ one: { from: { size: 1 }, to: absent, paths: [""] } });
    expect(changesOf({ one: { size: 1 }, many: [{ size: 2 }] })).toEqual({});
  });
  test("flattens nested lists of steps, and skips empty entries", () => {
    const [a, b, c] = [run`a`, run`b`, run`c`] as [Step, Step, Step];
    const module = definition(
      () => ({ ran: true }),
      () => [false, a, [undefined, [b, null], ""], c],
    );
    const decision = decide(module, {}, facts, values);
    expect("refusal" in decision ? [] : stepsOf(module, {}, facts, values, decision)).toEqual([a, b, c]);
  });
});

test("evaluates stages in order, each with the values so far, and skips facts that a stage leaves out", () => {
  const { definition: module } = task(card)
    .facts(() => ({ one: ask(box, "1") }))
    .facts((_p, { one }) => ({ two: ask(box, `of ${one.size}`), ...(one.size > 5 && { three: ask(box, "3") }) }))
    .want(() => ({}))
    .steps(() => []);
  const stages = askStages(module, {});
  const first = stages.next().value;
  expect(Object.keys(first)).toEqual(["one"]);
  const second = stages.next({ one: { size: 4 } }).value;
  expect(second).toMatchObject({ one: { key: "1" }, two: { key: "of 4" } });
  expect(stages.next({ one: { size: 4 }, two: { size: 0 } }).done).toBe(true);
  const open = askStages(module, {});
  open.next();
  expect(() => open.next({ one: knownAfterApply })).toThrow(UnknownValue);
});

test("collects values by name, and keeps lists as lists", () => {
  expect(collect(facts, (fact) => ("key" in fact ? fact.key : ""))).toEqual({ one: "1", many: ["2", "3"], ran: "x" });
});

test("a want for a fact that is declared with onlyRead() is a bug in the task", () => {
  const read = { one: onlyRead(ask(box, "1")) };
  const wants =
    (want: object): (() => unknown) =>
    () =>
      decide(
        definition(() => want),
        {},
        read,
        { one: { size: 1 } },
      );
  expect(wants({ one: { size: 1 } })).toThrow("declares with onlyRead()");
  expect(wants({})()).toMatchObject({ match: "same" });
});
