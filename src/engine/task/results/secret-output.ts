import { FurrowError } from "../../../core/errors.ts";
import type { StepOutput } from "../../../core/host/frame.ts";
import type { StepResult } from "../../../core/host/step.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import type { PlannedTask } from "../../plan/plan.ts";

/**
 * Shorter values are redacted from other output only together with their line breaks: on their own, they would match by
 * chance.
 */
const shortestAlone = 8;

/** True if no report may show what the task's steps print. */
export function hidesOutput(planned: PlannedTask, params: unknown): boolean {
  return planned.call.module.card.secretOutput?.(params) === true;
}

/** Replaces each stream of a step's output with a note that it is secret. */
export function hiddenOutput(next: (output: StepOutput) => void): (output: StepOutput) => void {
  const said = new Set<string>();
  return (output) => {
    const { step, stream } = output;
    if (said.has(`${step} ${stream}`)) return;
    said.add(`${step} ${stream}`);
    next({ ...output, text: `(${stream} is secret)\n` });
  };
}

/** Returns the results, in which everything that the steps printed is a secret. */
export function secretResults(results: readonly StepResult[], title: string): readonly StepResult[] {
  return results.map((result) => ({
    ...result,
    stdout: secretText(result.stdout, `stdout of ${title}`),
    stderr: secretText(result.stderr, `stderr of ${title}`),
  }));
}

function secretText(text: string, name: string): string {
  const value = text.trim();
  if (value === "") return text;
  // Programs that use the value rarely print it with its line break.
  if (value.length >= shortestAlone) secretOf(value, name);
  return String(secretOf(text, name));
}

/** The codes of step errors whose text may quote the step's output. */
const quoting: ReadonlySet<string> = new Set([
  "E_DISK_FULL",
  "E_INTERRUPTED",
  "E_READ_ONLY",
  "E_STEP",
  "E_TIMEOUT",
  "E_TOOL_MISSING",
]);

/** The error of a task without the output of its steps. */
export function withoutOutput(error: FurrowError): FurrowError {
  if (!quoting.has(error.code)) return error;
  const { details, isPartial: _isPartial, cause: _cause, current, ...rest } = error.failure;
  if (details === undefined) return error;
  // Some errors quote a line of the output as the current state.
  const isExitCode = current !== undefined && /exit code \d/.test(current);
  return new FurrowError(error.code, {
    ...rest,
    ...(isExitCode && { current }),
    ...(error.code === "E_TOOL_MISSING" && { what: "a program that the command runs was not found on the host" }),
    details: ["(the output is secret)"],
  });
}
