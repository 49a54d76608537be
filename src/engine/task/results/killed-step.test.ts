import { expect, test } from "vitest";
import { FurrowError } from "../../../core/errors.ts";
import { orInterruption } from "./killed-step.ts";

const stepFailed = (exitCode: number): [FurrowError, { exitCode: number; stdout: string; stderr: string }[]] => [
  new FurrowError("E_STEP", { what: "`sleep 60` failed", current: `exit code ${exitCode}`, expected: "exit code 0" }),
  [{ exitCode, stdout: "", stderr: "" }],
];
const aborted = AbortSignal.abort(new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" }));

test("reports a step as interrupted if the second Ctrl-C ended it, not as failed with exit code 143", () => {
  const { code, failure } = orInterruption(...stepFailed(143), aborted);
  expect(code).toBe("E_INTERRUPTED");
  expect(failure).toMatchObject({
    what: "the run was interrupted",
    current: "the task was told to stop, and ended with exit code 143",
  });
  expect(failure.expected).toBeUndefined();
});

test("reports a step as failed if it failed by itself", () => {
  const [error, results] = stepFailed(143);
  expect(orInterruption(error, results, new AbortController().signal)).toBe(error);
  const [other, results2] = stepFailed(100);
  expect(orInterruption(other, results2, aborted)).toBe(other);
});
