import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { KindGone } from "./failures.ts";

/**
 * Waits for the effect of a change that has been made. If the wait fails, the error says what was done, because the
 * task then counts as failed, not as changed.
 *
 * @param done completes "already done: "; undefined if nothing was changed
 */
export async function afterChange<T>(done: string | undefined, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    // A deletion does not fail if the kind is no longer served.
    if (done === undefined || error instanceof KindGone || !isFurrowError(error)) throw error;
    const details = [`already done: ${done}`, ...(error.failure.details ?? [])];
    throw new FurrowError(error.code, { ...error.failure, details, hasChanged: true });
  }
}
