import { UnknownValue } from "../../../core/facts/compare.ts";
import type { Values } from "../../../core/authoring/evaluate.ts";
import type { StepResult } from "../../../core/host/step.ts";
import { knownAfterApply } from "../../../core/facts/symbols.ts";
import { known, type Output } from "../../plan/outputs.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import { onlyReads } from "../reading-steps.ts";
import { readableResults } from "./cut-output.ts";

/** The facts after a failed step. They have not been read, so an output that needs one is unknown. */
const unread = new Proxy<Values>(
  {},
  {
    get(): never {
      throw new UnknownValue("facts");
    },
  },
);

/**
 * The output of a task whose last step failed, for conditions of later tasks; undefined if it depends on anything other
 * than the results of the steps.
 */
export function failedOutput(
  planned: PlannedTask,
  params: unknown,
  results: readonly StepResult[],
  title: string,
): Output | undefined {
  const { outputs } = planned.call.module;
  const value = known(() => outputs?.(params as never, unread as never, readableResults(results, title)));
  if (value === undefined || value === knownAfterApply) return undefined;
  return { value, changed: !onlyReads(planned, params) };
}
