import { expect, test, vi } from "vitest";
import { z } from "zod";
import { checked } from "./checked.ts";

test("compiles a schema only if it is used often, with the same results", () => {
  const schema = z.strictObject({ name: z.string(), size: z.number().optional() });
  const compile = vi.spyOn(globalThis, "Function");
  const inputs = [{ name: "a" }, { name: "a", size: 2 }, { name: 1 }, { nam: "a" }, undefined];
  const first = inputs.map((input) => outcome(checked(schema, input)));
  expect(compile).not.toHaveBeenCalled();
  checked(schema, { name: "b" }, 1000);
  expect(compile).toHaveBeenCalled();
  expect(inputs.map((input) => outcome(checked(schema, input)))).toEqual(first);
  compile.mockRestore();
});

function outcome(result: z.ZodSafeParseResult<unknown>): unknown {
  return result.success ? result.data : result.error.issues;
}
