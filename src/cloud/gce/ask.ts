import pRetry, { AbortError } from "p-retry";
import { isFurrowError } from "../../core/errors.ts";
import { callOnce, type ClientName } from "./clients.ts";
import { apiError, failureOf, isPassing } from "./errors.ts";

/** An API call. */
export interface Asked {
  readonly client: ClientName;
  readonly method: string;
  readonly request: object;
  /** Describes the call, phrased to follow "cannot": `read instance a`. */
  readonly what: string;
}

/** The number of retries of a call, and their total time limit in seconds. Throttling usually ends within that time. */
const again = { retries: 6, seconds: 30 };

/**
 * Calls the API, and retries after transient failures: throttling, a server error or a lost connection. A call that
 * makes a change must contain a request id. Throws FurrowError E_DRIVER, except for client errors that `pass` accepts,
 * which are thrown unchanged.
 */
export async function ask(
  { client, method, request, what }: Asked,
  signal: AbortSignal,
  pass = never,
): Promise<unknown> {
  try {
    return await pRetry(
      () => {
        signal.throwIfAborted();
        return untilAborted(callOnce(client, method, request), signal);
      },
      {
        retries: again.retries,
        minTimeout: 200,
        maxTimeout: 5000,
        factor: 2,
        randomize: true,
        maxRetryTime: again.seconds * 1000,
        signal,
        shouldRetry: ({ error }) => !isFurrowError(error) && !signal.aborted && isPassing(apiError(error)),
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    const thrown: unknown = error instanceof AbortError ? error.originalError : error;
    if (isFurrowError(thrown) || pass(thrown)) throw thrown;
    throw failureOf(what, apiError(thrown), thrown);
  }
}

const never = (_error: unknown): boolean => false;

/**
 * Resolves to the call's result, or rejects as soon as the signal is aborted. The client does not support signals, so
 * an aborted call is abandoned.
 */
export function untilAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, fail) => {
    const stop = (): void => fail(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    call.then(settle, fail).finally(() => signal.removeEventListener("abort", stop));
  });
}
