import type { FurrowError } from "../../core/errors.ts";
import type { Retry, TaskOptions } from "../../core/authoring/task-options.ts";

/** Errors that are not retried, because a retry would only hide them. */
const finalCodes: ReadonlySet<string> = new Set(["E_BUG", "E_INTERRUPTED", "E_PLAYBOOK", "E_UNDECLARED"]);

/** The number of retries of a failed task, and the waiting time before each. */
export class Retries {
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
