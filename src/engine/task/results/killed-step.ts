import { FurrowError } from "../../../core/errors.ts";
import type { StepResult } from "../../../core/host/step.ts";
import { interruption } from "../../host/host.ts";

/**
 * The error to report for a failed step. If the user's second Ctrl-C stopped the step, the step did not fail by itself,
 * so the error is the interruption.
 */
export function orInterruption(error: FurrowError, results: readonly StepResult[], signal: AbortSignal): FurrowError {
  const exitCode = results.at(-1)?.exitCode ?? 0;
  // 128 plus the signal's number. A step with another exit code, such as a package transaction, may have ignored the
  // signal.
  if (!signal.aborted || exitCode <= 128 || error.code !== "E_STEP") return error;
  const { current, details } = error.failure;
  return new FurrowError("E_INTERRUPTED", {
    ...interruption(signal).failure,
    ...(current !== undefined && { current: `the task was told to stop, and ended with ${current}` }),
    ...(details && { details }),
    hint: "Rerun: furrow reads the host again and finishes the work",
    cause: error,
  });
}
