import type { FurrowError, Where } from "../errors.ts";
import { refuseUnknown } from "./known-keys.ts";
import {
  booleanRule,
  conditionRule,
  finiteRule,
  type OptionRule,
  type OptionRules,
  retriesRule,
  secondsRule,
  tagsRule,
  testRule,
  textRule,
  wholeRule,
  wrongOptions,
} from "./option-rules.ts";
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
  /**
   * Skips the task if false. An explicit `undefined` is refused: compare an optional var with a value, as in
   * `vars.purge === true`.
   */
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

/** The options of every task and group. `become` is checked when the task or group is planned. */
export const commonOptions: OptionRules<CommonOptions> = {
  name: textRule,
  tags: tagsRule,
  when: conditionRule,
  become: { isRight: () => true, expected: "" },
};

const taskOptions: OptionRules<TaskOptions> = {
  ...commonOptions,
  retries: retriesRule,
  until: testRule,
  timeoutSeconds: secondsRule,
  ignoreFailure: booleanRule,
  temporary: booleanRule,
};

const retryOptions: OptionRules<Retry> = {
  times: { ...wholeRule, isNeverUndefined: true },
  delaySeconds: finiteRule,
  factor: finiteRule,
  maxDelaySeconds: finiteRule,
};

/** Checks a task's options. Throws FurrowError E_PLAYBOOK for unknown names and wrong values. */
export function checkOptions(options: TaskOptions<never>, where: Where & { readonly task: string }): void {
  const owner = `the task ${where.task}`;
  checkOptionsIn(taskOptions, options, owner, where);
  const given: Partial<Retry> | number | undefined = options.retries;
  if (typeof given !== "object") return;
  refuseUnknown(given, retryOptions, `\`retries\` of ${owner}`, where);
  // `times` is required.
  throwFirst(wrongOptions({ times: undefined, ...given }, retryOptions, owner, where, "retries."));
}

/**
 * Checks the options of a task or a group. `owner` says whose options these are: `the block "web"`. Throws FurrowError
 * E_PLAYBOOK for unknown names and wrong values.
 */
export function checkOptionsIn(
  rules: Readonly<Record<string, OptionRule>>,
  options: object,
  owner: string,
  where: Where,
): void {
  refuseUnknown(options, rules, owner, where);
  throwFirst(wrongOptions(options, rules, owner, where));
}

function throwFirst([first]: readonly FurrowError[]): void {
  if (first !== undefined) throw first;
}
