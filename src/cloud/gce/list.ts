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

type Call = (request: object, options: object) => Promise<readonly unknown[]>;

/** The `kind` that each page of a list must have, by client and method, from the API's reference. */
const kinds: Readonly<Record<string, string>> = {
  "addresses.aggregatedList": "compute#addressAggregatedList",
  "disks.aggregatedList": "compute#diskAggregatedList",
  "instances.aggregatedList": "compute#instanceAggregatedList",
  "instances.list": "compute#instanceList",
  "subnetworks.aggregatedList": "compute#subnetworkAggregatedList",
};

/**
 * Yields the entries of a list, page by page. An entry of an aggregated list is a pair of a place and its content.
 * `what` describes the query: `list the instances of project-1`. Throws FurrowError E_DRIVER if the query fails, if the
 * API says that a place is missing from the list, or if its answer is not a list.
 */
export async function* listAll(
  name: "addresses" | "disks" | "instances" | "subnetworks",
  method: "aggregatedList" | "list",
  request: object,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const tokens = new Set<string>();
  let pageToken = "";
  do {
    const asked = { ...request, maxResults: pageSize, ...(pageToken !== "" && { pageToken }) };
    const page = await pageOf(name, method, asked, what, signal);
    const { entries, next } = readPage(page, kinds[`${name}.${method}`] ?? "", what);
    for (const entry of entries) {
      if (method === "aggregatedList") refusePartial(entry, what);
      yield entry;
    }
    if (tokens.has(next)) throw incomplete(what, "the same page came twice");
    tokens.add(next);
    pageToken = next;
  } while (pageToken !== "");
}

/** Reads one page. Throws FurrowError E_DRIVER. */
async function pageOf(
  name: ClientName,
  method: string,
  request: object,
  what: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    // The client's own methods return only entries. These return the entries, the request for the next page, and the
    // page itself.
    const { innerApiCalls: calls } = (await readyClient(name)) as unknown as {
      readonly innerApiCalls?: Readonly<Record<string, Call | undefined>>;
    };
    signal.throwIfAborted();
    const call = calls?.[method]?.(request, { retry: again, autoPaginate: false });
    const [, , page] = (call && (await untilAborted(call, signal))) ?? [];
    return page;
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) throw error;
    throw failureOf(what, apiError(error), error);
  }
}

/**
 * Returns the entries of a page, and the token of the next page, which is empty on the last. An empty page may lack
 * `items`, but always has `kind`. Throws FurrowError E_DRIVER if the answer is not a page of this kind, or if the API
 * says that it is incomplete.
 */
export function readPage(
  page: unknown,
  kind: string,
  what: string,
): { readonly entries: readonly unknown[]; readonly next: string } {
  const { kind: is, items, nextPageToken: next, unreachables, warning } = isRecord(page) ? page : {};
  if (is !== kind)
    throw incomplete(
      what,
      `incomplete answer: its kind is ${typeof is === "string" && is !== "" ? is : "missing"}, not ${kind}`,
    );
  if (Array.isArray(unreachables) && unreachables.length > 0)
    throw incomplete(what, `${unreachables.join(", ")}: unreachable`);
  if (isRecord(warning) && partial.has(String(warning["code"])))
    throw incomplete(what, [warning["code"], warning["message"]].filter(Boolean).join(": "));
  const entries = Array.isArray(items) ? (items as unknown[]) : Object.entries(items ?? {});
  return { entries, next: typeof next === "string" ? next : "" };
}

/**
 * Throws FurrowError E_DRIVER if the API could not list a place. A place without entries has the warning
 * NO_RESULTS_ON_PAGE instead of a list. Other warnings, such as UNREACHABLE, mean that the place may have entries.
 */
export function refusePartial(pair: unknown, what: string): void {
  const [place, content] = Array.isArray(pair) ? (pair as unknown[]) : [];
  const warning = isRecord(content) ? content["warning"] : undefined;
  if (!isRecord(warning) || warning["code"] === "NO_RESULTS_ON_PAGE") return;
  const isEmpty = Object.values(content as object).every((value) => !Array.isArray(value) || value.length === 0);
  if (!isEmpty && !partial.has(String(warning["code"]))) return;
  throw incomplete(what, [place, warning["code"], warning["message"]].filter(Boolean).map(String).join(": "));
}

function incomplete(what: string, current: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `cannot ${what}, because Google does not return the whole list`,
    current: current.slice(0, 400),
    hint: "Rerun in a few minutes: https://status.cloud.google.com",
  });
}

/** The warnings of an incomplete list, which may still have entries. */
const partial: ReadonlySet<string> = new Set(["UNREACHABLE", "PARTIAL_SUCCESS", "LIST_OVERHEAD_QUOTA_EXCEED"]);
