import { expect, test } from "vitest";
import { parseInput, parseParams } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/index.ts";
import { command } from "../command/command.ts";
import { assert } from "./assert.ts";

const good = { check: true, message: "never said" };
const bad = (message: string, hint?: string): { check: boolean; message: string; hint?: string } => ({
  check: false,
  message,
  ...(hint !== undefined && { hint }),
});

test("is ok if all conditions hold", () => {
  expect(explain(assert({ that: [good, good] }), {})).toMatchObject({ facts: [], steps: [], change: {} });
  expect(explain(assert({ that: [good] }), {}).refusal).toBeUndefined();
});

test("names every condition that fails", () => {
  expect(explain(assert({ that: [bad("too small", "Take more"), good, bad("too old")] }), {}).refusal).toEqual({
    code: "assertion-failed",
    message: "too small; too old",
    hint: "Take more",
  });
});

test("joins the hints of several failed conditions into one sentence", () => {
  const that = [bad("too small", "Choose a larger host"), bad("twice", "List each disk once"), bad("x", "SSH to it")];
  expect(explain(assert({ that }), {}).refusal).toMatchObject({
    hint: "Choose a larger host; list each disk once; SSH to it",
  });
});

test("checks another task's output", () => {
  const probe = command({ command: ["nproc"], always: true });
  const check = probe.output.map(({ stdout }) => Number(stdout) >= 8);
  const call = assert({ that: [{ check, message: "fewer than 8 CPUs" }] });
  const { params } = call.module.card;
  const known = (stdout: string): unknown => parseParams(params, call.input, () => ({ value: { stdout } }), {});
  expect(known("4\n")).toEqual({ params: { that: [{ check: false, message: "fewer than 8 CPUs" }] } });
  expect(known("16\n")).toMatchObject({ params: { that: [{ check: true }] } });
  expect(parseParams(params, call.input, () => undefined, {})).toEqual({ waitsFor: [".that.0.check"], unknown: [] });
});

test.each([
  { input: { that: [] }, expected: "at least one check" },
  {
    input: { that: [{ check: "yes", message: "x" }] },
    expected: "true, false, or a task output that is true or false",
  },
  { input: { that: [{ check: true, message: "" }] }, expected: "a sentence" },
])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
  const failure = expect.objectContaining({ expected }) as object;
  expect(() => parseInput(assert.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
});
