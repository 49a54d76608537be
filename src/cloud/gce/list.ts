import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
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
 * `what` describes the query: `list the instances of project-1`. Throws FurrowError E_DRIVER if the query fails, or if
 * the API says that a place is missing from the list.
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
      if (method === "aggregatedListAsync") refusePartial(found.value, what);
      yield found.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) throw error;
    throw failureOf(what, apiError(error), error);
  }
}

/**
 * Throws FurrowError E_DRIVER if the API could not list a place. A place without entries has the warning
 * NO_RESULTS_ON_PAGE in place of a list. Other warnings, such as UNREACHABLE, mean that the place may have entries.
 */
export function refusePartial(pair: unknown, what: string): void {
  const [place, content] = Array.isArray(pair) ? (pair as unknown[]) : [];
  const warning = isRecord(content) ? content["warning"] : undefined;
  if (!isRecord(warning) || warning["code"] === "NO_RESULTS_ON_PAGE") return;
  const isEmpty = Object.values(content as object).every((value) => !Array.isArray(value) || value.length === 0);
  if (!isEmpty && !partial.has(String(warning["code"]))) return;
  throw new FurrowError("E_DRIVER", {
    what: `cannot ${what}, because Google does not return the whole list`,
    current: [place, warning["code"], warning["message"]].filter(Boolean).map(String).join(": ").slice(0, 400),
    hint: "Rerun in a few minutes: https://status.cloud.google.com",
  });
}

/** The warnings that a list is not complete, even if it has entries. */
const partial: ReadonlySet<string> = new Set(["UNREACHABLE", "PARTIAL_SUCCESS", "LIST_OVERHEAD_QUOTA_EXCEED"]);
