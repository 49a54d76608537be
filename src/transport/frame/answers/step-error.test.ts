import { expect, test } from "vitest";
import type { StepsItem } from "../../../core/host/frame.ts";
import { run } from "../../../core/host/step.ts";
import { stepError } from "./step-error.ts";

const item = { item: "steps", task: "wait", steps: [], timeoutSeconds: 2 } as unknown as StepsItem;

test("mentions the timeout if a command that ignores SIGTERM ends with exit code 137", () => {
  const error = stepError(run`sleep 41`, { exitCode: 137, stdout: "", stderr: "" }, item);
  expect(error.failure.current).toBe("exit code 137: it was killed");
  expect(error.failure.hint).toMatch(/^Raise timeoutSeconds if it ran for 2 s: .*memory/);
});
