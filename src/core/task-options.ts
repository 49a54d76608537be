import type { Retry, TaskOptions } from "./call.ts";
import { FurrowError, type Where } from "./errors.ts";

/** Throws FurrowError E_PARAMS for numbers among a task's options that no run could follow. */
export function checkOptions({ retries, timeoutSeconds }: TaskOptions<never>, where: Where): void {
  const retry: Partial<Retry> = typeof retries === "object" ? retries : {};
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new FurrowError("E_PARAMS", {
      what: `the option \`${option}\` of a task cannot be ${String(value)}`,
      where,
      current: String(value),
      expected,
      hint: `Correct \`${option}\``,
    });
  };
  const whole = (option: string, value: unknown): void => {
    if (!Number.isSafeInteger(value) || Number(value) < 0) refuse(option, value, "a whole number, 0 or more");
  };
  const finite = (option: string, value: unknown): void => {
    if (value !== undefined && !(Number.isFinite(value) && Number(value) >= 0))
      refuse(option, value, "a finite number, 0 or more");
  };
  if (typeof retries === "object") whole("retries.times", retries.times);
  else if (retries !== undefined) whole("retries", retries);
  finite("retries.delaySeconds", retry.delaySeconds);
  finite("retries.factor", retry.factor);
  finite("retries.maxDelaySeconds", retry.maxDelaySeconds);
  if (timeoutSeconds !== undefined && !(Number.isFinite(timeoutSeconds) && timeoutSeconds > 0))
    refuse("timeoutSeconds", timeoutSeconds, "a finite number of seconds above 0");
}
