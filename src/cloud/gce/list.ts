import { isFurrowError } from "../../core/errors.ts";
import { untilAborted } from "./ask.ts";
import { type ClientName, readyClient } from "./clients.ts";
import { apiError, failureOf } from "./errors.ts";

/** The number of entries per page: the API's maximum. */
const pageSize = 500;

/** Retries after throttling (8), an unavailable server (14) or a timeout (4), for up to a minute per page. */
const again = {
  retryCodes: [4, 8, 14],
  backoffSettings: {
    initialRetryDelayMillis: 200,
    retryDelayMultiplier: 2,
    maxRetryDelayMillis: 5000,
    initialRpcTimeoutMillis: 30_000,
    rpcTimeoutMultiplier: 1,
    maxRpcTimeoutMillis: 30_000,
    totalTimeoutMillis: 60_000,
  },
};

type Pages = (request: object, options: object) => AsyncIterable<unknown>;

/**
 * Yields the entries of a list, page by page. An entry of an aggregated list is a pair of a place and its content.
 * `what` describes the query: `list the instances of project-1`. Throws FurrowError E_DRIVER.
 */
export async function* listAll(
  name: ClientName,
  method: "aggregatedListAsync" | "listAsync",
  request: object,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  try {
    const client = (await readyClient(name)) as unknown as Readonly<Record<string, Pages | undefined>>;
    const asked = { ...request, maxResults: pageSize };
    const pages = client[method]?.call(client, asked, { retry: again, autoPaginate: false })[Symbol.asyncIterator]();
    for (;;) {
      signal.throwIfAborted();
      const found = pages && (await untilAborted(pages.next(), signal));
      if (found === undefined || found.done === true) return;
      yield found.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) throw error;
    throw failureOf(what, apiError(error), error);
  }
}
