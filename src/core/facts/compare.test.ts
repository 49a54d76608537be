import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonical,
  contradict,
  differences,
  guardUnknown,
  holdsUnknown,
  match,
  merge,
  peek,
  UnknownValue,
} from "./compare.ts";
import { secretOf } from "../secrets/secret.ts";
import { absent, knownAfterApply } from "./symbols.ts";

const token = secretOf("hunter2", "token");

describe("match", () => {
  test.each([
    { now: { a: 1, b: 2 }, wanted: { a: 1 }, is: "same" },
    { now: { a: 1 }, wanted: { a: 1, b: undefined }, is: "same" },
    { now: { a: 2 }, wanted: { a: 1 }, is: "differs" },
    { now: { a: { b: 1, c: 2 } }, wanted: { a: { c: 2 } }, is: "same" },
    { now: absent, wanted: { a: 1 }, is: "differs" },
    { now: { a: 1 }, wanted: absent, is: "differs" },
    { now: absent, wanted: absent, is: "same" },
    { now: { a: 1 }, wanted: { b: absent }, is: "same" },
    { now: { b: 1 }, wanted: { b: absent }, is: "differs" },
    { now: [1, 2], wanted: [1, 2], is: "same" },
    { now: [1, 2], wanted: [2, 1], is: "differs" },
    { now: [1], wanted: [1, 2], is: "differs" },
    { now: "x", wanted: undefined, is: "same" },
    { now: knownAfterApply, wanted: "x", is: "unknown" },
    { now: { a: knownAfterApply, b: 1 }, wanted: { a: 1, b: 1 }, is: "unknown" },
    { now: { a: knownAfterApply, b: 1 }, wanted: { a: 1, b: 2 }, is: "differs" },
    { now: { a: 1 }, wanted: { a: knownAfterApply }, is: "same" },
    { now: "hunter2", wanted: `${token}`, is: "same" },
    { now: "hunter3", wanted: `${token}`, is: "differs" },
    { now: Number.NaN, wanted: Number.NaN, is: "same" },
    { now: 1, wanted: "1", is: "differs" },
  ])("compares $now with $wanted: $is", ({ now, wanted, is }) => {
    expect(match(now, wanted)).toBe(is);
  });
});

const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom("a", "b"), fc.boolean(), fc.constant(absent));
const value = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie("record")),
  record: fc.dictionary(fc.constantFrom("x", "y", "z"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
})).value;

describe("merge", () => {
  test("returns a value that matches the want", () => {
    fc.assert(
      fc.property(value, value, (before, wanted) => {
        const after = merge(before, wanted);
        expect(match(after, wanted)).toBe("same");
        expect(differences(after, wanted)).toEqual([]);
        expect(canonical(merge(after, wanted))).toBe(canonical(after));
      }),
    );
  });
  test("a difference has the path of the part that differs", () => {
    fc.assert(
      fc.property(value, value, (now, wanted) => {
        expect(differences(now, wanted).length > 0).toBe(match(now, wanted) !== "same");
      }),
    );
    expect(differences({ a: { b: 1 }, c: 1 }, { a: { b: 2 }, d: 3 })).toEqual([
      { path: "a.b", from: 1, to: 2 },
      { path: "d", from: absent, to: 3 },
    ]);
    expect(differences(absent, { a: 1 })).toEqual([{ path: "", from: absent, to: { a: 1 } }]);
  });
  test("keeps keys that the want does not name", () => {
    expect(merge({ a: 1, b: { c: 1, d: 2 } }, { b: { c: 3 }, e: undefined })).toEqual({ a: 1, b: { c: 3, d: 2 } });
    expect(merge(absent, { a: 1 })).toEqual({ a: 1 });
    expect(merge({ a: 1 }, absent)).toBe(absent);
  });
});

describe("contradict", () => {
  test.each([
    { a: { mode: "0644" }, b: { owner: "root" }, is: false },
    { a: { mode: "0644" }, b: { mode: "0600" }, is: true },
    { a: { mode: "0644" }, b: absent, is: true },
    { a: { m: { x: true } }, b: { m: { y: true } }, is: false },
    { a: { list: [1] }, b: { list: [1, 2] }, is: true },
    { a: knownAfterApply, b: 1, is: false },
    { a: undefined, b: 1, is: false },
    { a: { text: `${token}` }, b: { text: "hunter2" }, is: false },
  ])("$a and $b contradict each other: $is", ({ a, b, is }) => {
    expect(contradict(a, b)).toBe(is);
    expect(contradict(b, a)).toBe(is);
  });
});

describe("an unknown value", () => {
  const values = guardUnknown({ a: knownAfterApply, b: { c: [1, knownAfterApply], d: 2 }, e: 3 });
  test("throws only when it is read, at any depth", () => {
    expect([values.e, values.b.d, values.b.c[0]]).toEqual([3, 2, 1]);
    expect(() => values.a).toThrow(UnknownValue);
    expect(() => values.b.c[1]).toThrow(UnknownValue);
    expect(() => JSON.stringify(values.b)).toThrow(UnknownValue);
  });
  test("can be peeked at without an error", () => {
    expect(peek(values, "a")).toBe(knownAfterApply);
    expect(peek(values, "e")).toBe(3);
  });
  test("is found at any depth", () => {
    expect([holdsUnknown({ a: [knownAfterApply] }), holdsUnknown({ a: [1], b: absent })]).toEqual([true, false]);
  });
});

test("gives equal values the same canonical text, regardless of the order of their keys", () => {
  expect(canonical({ b: 1, a: { d: absent, c: [2, { f: 1, e: 2 }] } })).toBe(
    canonical({ a: { c: [2, { e: 2, f: 1 }], d: absent }, b: 1 }),
  );
  expect(canonical(absent)).not.toBe(canonical(knownAfterApply));
  expect(canonical(absent)).not.toBe(canonical("furrow.absent"));
});
