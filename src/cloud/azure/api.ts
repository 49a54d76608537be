import pRetry, { AbortError } from "p-retry";
import { FurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { pause, waitUntil } from "../wait.ts";
import { endpointOf } from "./clients.ts";
import { AzureRefusal, failureOf } from "./errors.ts";
import { forgetTokens, tokenFor } from "./login.ts";
import { type Raw, textOf } from "./raw.ts";

/** What every call needs. */
export interface Api {
  /** The subscription's id; if undefined, AZURE_SUBSCRIPTION_ID. */
  readonly subscription: string | undefined;
  readonly signal: AbortSignal;
  readonly say?: ((text: string) => void) | undefined;
}

/**
 * A call to Azure Resource Manager. Every call can be repeated, because it states the desired result and not the
 * change.
 */
export interface Asked {
  readonly method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  /** The path below the subscription, with encoded parts: `resourcegroups/lab`. */
  readonly path: string;
  readonly version: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The version of the resource that may be replaced; a change to any other version is refused with 412. */
  readonly ifMatch?: string | undefined;
  /** Describes the call, phrased to follow "cannot": `read the disk a`. */
  readonly what: string;
}

/** A response that is not an error. */
export interface Answer {
  readonly status: number;
  readonly body: Raw;
  readonly headers: Headers;
}

/**
 * The number of retries of a call, and their total time limit in seconds, not counting the pauses that Azure asks for.
 */
const again = { retries: 6, seconds: 120 };

/** How long furrow waits while Azure is busy with the same resource, in seconds. */
const busySeconds = 300;

/** The longest time, in seconds, for which furrow repeats a call that Azure throttles. */
const longestPause = 900;

/** Pauses of at least this many seconds are reported. */
const longPause = 10;

/** An error response, with the pause that it asks for. */
class Refused extends AzureRefusal {
  readonly pauseMs: number;

  constructor(status: number, code: string, message: string, pauseMs: number) {
    super(status, code, message);
    this.pauseMs = pauseMs;
  }
}

/**
 * The phrases with which Azure reports that another operation is under way. An interface stays reserved for a few
 * minutes after the creation of its machine has failed.
 */
const busy =
  /^(AnotherOperationInProgress|Conflict|RetryableError\w*|OperationPreempted|ResourceGroupBeingDeleted|NicReservedForAnotherVm|AttachDiskWhileBeingDetached)$/;

/**
 * Calls the API, and retries after transient failures; waits while Azure is busy with the resource. Throws FurrowError
 * E_DRIVER or E_WAIT; errors that `pass` accepts are thrown unchanged.
 */
export async function ask(
  api: Api,
  asked: Asked,
  pass: (error: AzureRefusal) => boolean = () => false,
): Promise<Answer> {
  const { method, path, version, query, body, ifMatch, what } = asked;
  const url = new URL(`${endpoint()}/subscriptions/${encodeURIComponent(subscriptionOf(api))}/${path}`);
  for (const [key, value] of Object.entries({ ...query, "api-version": version })) url.searchParams.set(key, value);
  const failed = (thrown: unknown): never => {
    api.signal.throwIfAborted();
    if (thrown instanceof AzureRefusal && pass(thrown)) throw thrown;
    throw failureOf(what, thrown);
  };
  return waitUntil<Answer>(
    async () => {
      try {
        return { done: await patiently(api, method, url, body, what, ifMatch) };
      } catch (error) {
        if (error instanceof Refused && method !== "GET" && busy.test(error.code) && !pass(error)) {
          return { meanwhile: `${error.code}: ${error.message.slice(0, 200)}` };
        }
        return failed(error);
      }
    },
    {
      waitsFor: `Azure to finish another operation, before it can ${what}`,
      deadlineSeconds: busySeconds,
      signal: api.signal,
      say: api.say,
      hint: "Rerun when the other operation has finished; see az resource show, or the activity log in the portal",
    },
  );
}

/** Follows a link from an API response. */
export async function follow(api: Api, link: string, what: string): Promise<Answer> {
  // The request carries the token, which no other server may receive.
  if (!URL.canParse(link) || new URL(link).origin !== new URL(endpoint()).origin) {
    throw new FurrowError("E_DRIVER", {
      what: `cannot ${what} in Azure, because its API points to a different server`,
      current: link.slice(0, 200),
      expected: new URL(endpoint()).origin,
      hint: "Check AZURE_RESOURCE_MANAGER_URL, and any proxy between this machine and the API",
    });
  }
  try {
    return await patiently(api, "GET", new URL(link), undefined, what);
  } catch (error) {
    api.signal.throwIfAborted();
    throw failureOf(what, error);
  }
}

/** All entries of a list, page by page. */
export async function listAll(
  api: Api,
  asked: Omit<Asked, "method" | "body">,
  pass?: (error: AzureRefusal) => boolean,
): Promise<readonly Raw[]> {
  const entries: Raw[] = [];
  const followed = new Set<string>();
  let { body } = await ask(api, { ...asked, method: "GET" }, pass);
  for (;;) {
    const { value } = body;
    if (!Array.isArray(value)) {
      throw failureOf(asked.what, new AzureRefusal(0, "", "the response contains no list"));
    }
    const wrong = value.findIndex((entry) => !isRecord(entry));
    if (wrong >= 0) {
      throw failureOf(
        asked.what,
        new AzureRefusal(0, "", `entry ${entries.length + wrong + 1} of the list is not an object`),
      );
    }
    entries.push(...(value as Raw[]));
    const next = body["nextLink"] ?? "";
    if (next === "") return entries;
    if (typeof next !== "string") {
      throw failureOf(asked.what, new AzureRefusal(0, "", "the link to the list's next page is not a string"));
    }
    refuseLoop(next, followed, asked.what);
    ({ body } = await follow(api, next, asked.what));
  }
}

/**
 * Throws FurrowError E_DRIVER if a list links to a page that has been read before, because reading the list would never
 * end. `followed`: all links followed so far; `next` is added to them.
 */
export function refuseLoop(next: string, followed: Set<string>, what: string): void {
  if (!followed.has(next)) return void followed.add(next);
  throw new FurrowError("E_DRIVER", {
    what: `cannot ${what} in Azure, because its API links to a page of the list that it has already returned`,
    current: next.slice(0, 200),
    hint: "Rerun; if it happens again, check AZURE_RESOURCE_MANAGER_URL, and any proxy between this machine and the API",
  });
}

/**
 * The pause that a response asks for, in milliseconds; undefined if none. `Retry-After` is a number of seconds
 * or a date.
 */
export function pauseOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestPause * 1000);
}

async function patiently(
  api: Api,
  method: string,
  url: URL,
  body: object | undefined,
  what: string,
  ifMatch?: string,
): Promise<Answer> {
  const mayRepeat = (error: unknown): boolean =>
    error instanceof AzureRefusal &&
    (error.statusCode === 0 || error.statusCode === 401 || error.statusCode === 429 || error.statusCode >= 500);
  let renewed = false;
  const started = performance.now();
  let waited = 0;
  let isTooLong = false;
  try {
    return await pRetry(() => once(api, method, url, body, ifMatch), {
      retries: again.retries,
      minTimeout: 250,
      maxTimeout: 20_000,
      factor: 2,
      randomize: true,
      signal: api.signal,
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (!(error instanceof Refused) || !mayRepeat(error) || error.pauseMs === 0 || retriesLeft === 0) return;
        isTooLong = waited + error.pauseMs > longestPause * 1000;
        if (isTooLong) return;
        const seconds = Math.ceil(error.pauseMs / 1000);
        if (seconds >= longPause) api.say?.(`waiting ${seconds} s, as Azure asks, to ${what}: ${error.message}`);
        await pause(error.pauseMs, api.signal);
        waited += error.pauseMs;
      },
      shouldRetry: ({ error }) => {
        if (api.signal.aborted || !mayRepeat(error) || isTooLong) return false;
        if (performance.now() - started - waited > again.seconds * 1000) return false;
        if ((error as AzureRefusal).statusCode !== 401) return true;
        // The login may have been renewed since the token was issued. A second refusal means that the login itself is
        // refused.
        const isFirst = !renewed;
        renewed = true;
        forgetTokens();
        return isFirst;
      },
    });
  } catch (error) {
    throw error instanceof AbortError ? error.originalError : error;
  }
}

async function once(
  api: Api,
  method: string,
  url: URL,
  body: object | undefined,
  ifMatch: string | undefined,
): Promise<Answer> {
  const token = await tokenFor(endpoint(), api.signal).catch((error: unknown) => {
    // A failed login is not retried here: the package itself retries where that helps.
    throw new AbortError(error instanceof Error ? error : String(error));
  });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
  };
  const signal = AbortSignal.any([api.signal, AbortSignal.timeout(60_000)]);
  let answer: Response;
  let text: string;
  try {
    // A redirect would send the request, and perhaps its token, somewhere else.
    const options = { method, headers, signal, redirect: "error" as const };
    answer = await fetch(url, body === undefined ? options : { ...options, body: JSON.stringify(body) });
    text = await answer.text();
  } catch (error) {
    api.signal.throwIfAborted();
    const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string };
    throw new Refused(0, "", cause?.message || cause?.code || message || String(error), 0);
  }
  const said = parsed(text);
  if (answer.ok) return { status: answer.status, body: said, headers: answer.headers };
  const { code, message } = (said["error"] ?? said) as Raw;
  throw new Refused(
    answer.status,
    textOf(code),
    textOf(message) || `HTTP status ${answer.status}`,
    pauseOf(answer.headers) ?? 0,
  );
}

function parsed(text: string): Raw {
  try {
    return (text === "" ? {} : (JSON.parse(text) ?? {})) as Raw;
  } catch {
    return {};
  }
}

/** The subscription's id. Throws FurrowError E_DRIVER if the id is not set anywhere. */
export function subscriptionOf({ subscription }: Pick<Api, "subscription">): string {
  const id = subscription ?? process.env["AZURE_SUBSCRIPTION_ID"] ?? "";
  if (id !== "") return id;
  throw new FurrowError("E_DRIVER", {
    what: "furrow does not know which Azure subscription to use",
    expected:
      "AZURE_SUBSCRIPTION_ID, --var azureSubscription=… of the clouds playbooks, or the param subscription of a task",
    hint: "Set AZURE_SUBSCRIPTION_ID: az account show --query id --output tsv",
  });
}

function endpoint(): string {
  const given = endpointOf(process.env["AZURE_RESOURCE_MANAGER_URL"] ?? "").endpoint;
  return (given ?? "https://management.azure.com").replace(/\/+$/, "");
}
