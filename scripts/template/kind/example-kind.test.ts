import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { scriptOf } from "../../../src/core/facts/kind.ts";
import { exampleKind, exampleKindKind } from "./example-kind.ts";

const question = exampleKind();

test.each([{ days: 0 }, { days: 412 }])("exampleKind parses its own output: %j", (value) => {
  expect(exampleKindKind.parse(exampleKindKind.print?.(value, question) as never, question)).toEqual(value);
});

test("a shell can read exampleKind", () => {
  const script = scriptOf(exampleKindKind, [{ ...question, number: 7 }]);
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toMatch(/^7 days=\d+\n$/);
});

test("exampleKind refuses an unknown answer", () => {
  expect(() => exampleKindKind.parse({}, question)).toThrow("could not find out");
});
