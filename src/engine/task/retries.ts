import type { FurrowError } from "../../core/errors.ts";
import { Stopped } from "./stopped.ts";
import type { Retry, TaskOptions } from "../../core/authoring/task-options.ts";

/**
 * Errors that are not retried, because a retry would only hide them. The revert of an unconfirmed change, or another
 * run that holds the host, may have undone earlier tasks, which a retry would not repeat.
 */
const finalCodes: ReadonlySet<string> = new Set([
  "E_BUG",
  "E_INTERRUPTED",
  "E_LOCKED",
  "E_NOT_CONFIRMED",
  "E_PLAYBOOK",
  "E_UNDECLARED",
]);

/**
 * Failures that neither `ignoreFailure` nor a rescue catches: the playbook itself is wrong, the run ends, or the host
 * reverted what earlier tasks had changed.
 */
export const intolerable: ReadonlySet<string> = new Set(["E_CONFLICTING_WANTS", "E_INTERRUPTED", "E_NOT_CONFIRMED"]);

/** The number of retries of a failed task, and the waiting time before each. */
class Retries {
  readonly #retry: Required<Retry>;

  /** Takes the task's options. With `until` and no `retries`, there are three retries. */
  constructor({ retries, until }: TaskOptions<never>) {
    const given = typeof retries === "number" ? { times: retries } : (retries ?? { times: until ? 3 : 0 });
    this.#retry = { delaySeconds: 1, factor: 2, maxDelaySeconds: 60, ...given };
  }

  /**
   * Seconds to wait after the failure of attempt number `tried`, counted from 0; undefined if there are no more
   * retries.
   */
  delayAfter(tried: number, error: FurrowError): number | undefined {
    const { times, delaySeconds, factor, maxDelaySeconds } = this.#retry;
    if (tried >= times || finalCodes.has(error.code)) return undefined;
    return Math.min(delaySeconds * factor ** tried, maxDelaySeconds);
  }
}

/** The functions that are called between the attempts at a task. */
interface BetweenAttempts {
  /** Returns the error to report for a value that an attempt threw. */
  asError(thrown: unknown): FurrowError;
  /** False in check mode and in a run that is stopping. */
  mayRetry(): boolean;
  /** Reports the error, and waits before the next attempt. */
  wait(error: FurrowError, delaySeconds: number): Promise<void>;
}

/**
 * Attempts a task until an attempt succeeds. Throws the error of the last attempt, and Stopped as soon as an attempt
 * throws it.
 *
 * @param attempt makes one attempt; it receives the attempt's number, counted from 0
 */
export async function withRetries<T>(
  options: TaskOptions<never>,
  attempt: (tried: number) => Promise<T>,
  between: BetweenAttempts,
): Promise<T> {
  const retries = new Retries(options);
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt(tried);
    } catch (thrown) {
      if (thrown instanceof Stopped) throw thrown;
      const error = between.asError(thrown);
      const delaySeconds = between.mayRetry() ? retries.delayAfter(tried, error) : undefined;
      if (delaySeconds === undefined) throw error;
      await between.wait(error, delaySeconds);
    }
  }
}
