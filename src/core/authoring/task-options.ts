import { FurrowError, type Where } from "../errors.ts";
import { described } from "./described.ts";
import { type KeysOf, refuseUnknown } from "./known-keys.ts";
import { textRule, wrongOptions } from "./option-rules.ts";
import type { Ref } from "./ref.ts";

/** The number of retries of a failed task, and the delays before them. */
export interface Retry {
  /** Number of retries after the first attempt. */
  readonly times: number;
  /** Seconds before the second attempt; default 1. */
  readonly delaySeconds?: number;
  /** The factor by which each subsequent delay grows; default 2. */
  readonly factor?: number;
  /** The longest delay, in seconds; default 60. */
  readonly maxDelaySeconds?: number;
}

/** Options of every task and group, besides its params. */
export interface CommonOptions {
  /** Replaces the title that is derived from the params. */
  readonly name?: string;
  /**
   * Tags for --tags and --skip-tags; `always` and `never` work as in Ansible. Everything inside a group inherits them.
   */
  readonly tags?: readonly string[];
  /** Skips the task if false. */
  readonly when?: boolean | Ref<boolean>;
  /** The user that the steps run as; overrides the play's `become`. */
  readonly become?: string;
}

/** Options of every task, besides its params. */
export interface TaskOptions<O = unknown> extends CommonOptions {
  /**
   * The number of retries if the task fails. Errors that a retry would only hide, such as E_LOCKED, are not retried.
   */
  readonly retries?: number | Retry;
  /** Retries the task (`retries` times, default 3) until this returns true for the task's output. */
  readonly until?: (output: O) => boolean;
  /** Time limit for all of the task's steps together, in seconds; default 1800. */
  readonly timeoutSeconds?: number;
  /** If true, a failure is reported and the host continues. */
  readonly ignoreFailure?: boolean;
  /**
   * If true, the state that the task sets is wanted only until a later task in the play changes it. Example: a service
   * that is stopped for a migration. Both tasks change the host in every run, unless `when` skips them. Without this
   * option, such tasks are refused.
   */
  readonly temporary?: boolean;
}

/** The options of every task and group. */
export const commonOptions: KeysOf<CommonOptions> = { name: true, tags: true, when: true, become: true };

const taskOptions: KeysOf<TaskOptions> = {
  ...commonOptions,
  retries: true,
  until: true,
  timeoutSeconds: true,
  ignoreFailure: true,
  temporary: true,
};

const retryOptions: KeysOf<Retry> = { times: true, delaySeconds: true, factor: true, maxDelaySeconds: true };

/** Checks the title that replaces a task's or group's own. Throws FurrowError E_PLAYBOOK. */
export function checkName(options: CommonOptions, owner: string, where: Where): void {
  const [wrong] = wrongOptions(options, { name: textRule }, owner, where);
  if (wrong !== undefined) throw wrong;
}

/** Checks a task's options. Throws FurrowError E_PLAYBOOK for unknown names or a wrong `name`, and E_PARAMS for invalid numbers. */
export function checkOptions(options: TaskOptions<never>, where: Where & { readonly task: string }): void {
  const owner = `the task ${where.task}`;
  refuseUnknown(options, taskOptions, owner, where);
  checkName(options, owner, where);
  const { retries, timeoutSeconds } = options;
  if (typeof retries === "object") refuseUnknown(retries, retryOptions, `\`retries\` of ${owner}`, where);
  const retry: Partial<Retry> = typeof retries === "object" ? retries : {};
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new FurrowError("E_PARAMS", {
      what: `the option \`${option}\` of a task cannot be ${described(value)}`,
      where,
      current: described(value),
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
