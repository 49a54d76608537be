import { expect, test } from "vitest";
import { match } from "../../src/core/facts/compare.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { annotationsWithout } from "./annotations.ts";

const object = (annotations?: object): object => ({ metadata: { name: "a", ...(annotations && { annotations }) } });

test("an object that has lost its last annotation no longer has the field, and matches the want", () => {
  const last = annotationsWithout(object({ own: "1" }), ["own", "other"]);
  expect(match(absent, last)).toBe("same");
  expect(match(undefined, last)).toBe("same");
  expect(match({ own: "1" }, last)).toBe("differs");
});

test("the annotations of others stay", () => {
  const some = annotationsWithout(object({ own: "1", theirs: "2" }), ["own"]);
  expect(match({ theirs: "3" }, some)).toBe("same");
  expect(match({ own: "1", theirs: "2" }, some)).toBe("differs");
});

test("an object without annotations already matches the want", () => {
  expect(match(undefined, annotationsWithout(object(), ["own"]))).toBe("same");
});
