import type { FurrowError } from "../../core/errors.ts";
import type { Retry, TaskOptions } from "../../core/task-options.ts";

/** Failures that another try would only hide. */
const finalCodes: ReadonlySet<string> = new Set(["E_BUG", "E_INTERRUPTED", "E_PLAYBOOK", "E_UNDECLARED"]);

/** How often a task is tried again after it failed, and how long it waits before that. */
export class Retries {
  readonly #retry: Required<Retry>;

  /** `retries` as the task was given it. With `until` alone, three more tries. */
  constructor({ retries, until }: TaskOptions<never>) {
    const given = typeof retries === "number" ? { times: retries } : (retries ?? { times: until ? 3 : 0 });
    this.#retry = { delaySeconds: 1, factor: 2, maxDelaySeconds: 60, ...given };
  }

  /** Seconds to wait after the failure of try `tried`, counted from 0; undefined where the task is not tried again. */
  delayAfter(tried: number, error: FurrowError): number | undefined {
    const { times, delaySeconds, factor, maxDelaySeconds } = this.#retry;
    if (tried >= times || finalCodes.has(error.code)) return undefined;
    return Math.min(delaySeconds * factor ** tried, maxDelaySeconds);
  }
}
