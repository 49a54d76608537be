import pRetry, { AbortError } from "p-retry";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { hideCredential, reveal, type Secret } from "../../core/secrets/secret.ts";
import { DigitalOceanError, failureOf } from "./errors.ts";

/** What every call needs. */
export interface Api {
  /** The token as a secret; if undefined, DIGITALOCEAN_ACCESS_TOKEN. */
  readonly token: string | Secret | undefined;
  readonly signal: AbortSignal;
  readonly say?: ((text: string) => void) | undefined;
}

/** A call to the API. */
export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below /v2, with encoded parts: `droplets/1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  /** Describes the call, phrased to follow "cannot": `read droplet a`. */
  readonly what: string;
}

/** The number of retries of a call, and their total time limit in seconds. */
const again = { retries: 6, seconds: 60 };

/**
 * Calls the API, and retries after transient failures. A POST is retried only if the API has refused it because of too
 * many requests: after a lost response, the request may have been performed. Throws FurrowError E_DRIVER; errors that
 * `pass` accepts are thrown unchanged.
 */
export async function ask(
  api: Api,
  asked: Asked,
  pass: (error: DigitalOceanError) => boolean = () => false,
): Promise<unknown> {
  const mayRepeat = ({ status }: DigitalOceanError): boolean =>
    status === 429 || (asked.method !== "POST" && (status === 0 || status >= 500));
  try {
    return await pRetry(() => askOnce(api, asked), {
      retries: again.retries,
      minTimeout: 250,
      maxTimeout: 20_000,
      factor: 2,
      randomize: true,
      maxRetryTime: again.seconds * 1000,
      signal: api.signal,
      shouldRetry: ({ error }) => error instanceof DigitalOceanError && !api.signal.aborted && mayRepeat(error),
    });
  } catch (error) {
    api.signal.throwIfAborted();
    const thrown: unknown = error instanceof AbortError ? error.originalError : error;
    if (isFurrowError(thrown)) throw thrown;
    const failure = thrown instanceof DigitalOceanError ? thrown : new DigitalOceanError(0, "", String(thrown), thrown);
    if (pass(failure)) throw failure;
    throw failureOf(asked.what, failure);
  }
}

async function askOnce(api: Api, { method, path, query, body }: Asked): Promise<unknown> {
  const url = new URL(`v2/${path}`, endpoint());
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(key, value);
  const headers = {
    authorization: `Bearer ${tokenOf(api)}`,
    accept: "application/json",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const signal = AbortSignal.any([api.signal, AbortSignal.timeout(30_000)]);
  let text: string;
  let answer: Response;
  try {
    // A redirect would send the request, and perhaps its token, somewhere else.
    const options = { method, headers, signal, redirect: "error" as const };
    answer = await fetch(url, body === undefined ? options : { ...options, body: JSON.stringify(body) });
    text = await answer.text();
  } catch (error) {
    api.signal.throwIfAborted();
    const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string };
    throw new DigitalOceanError(0, "", cause?.message || cause?.code || message || String(error), error);
  }
  const said = parsed(text);
  if (answer.ok) return said ?? {};
  const { id, message } = (said ?? {}) as { id?: unknown; message?: unknown };
  throw new DigitalOceanError(
    answer.status,
    typeof id === "string" ? id : "",
    typeof message === "string" ? message : `HTTP status ${answer.status}`,
  );
}

function tokenOf({ token }: Api): string {
  const given = reveal(token ?? process.env["DIGITALOCEAN_ACCESS_TOKEN"] ?? "").trim();
  hideCredential(given, "digitalocean-token");
  if (/^[\x21-\x7e]+$/.test(given)) return given;
  throw new FurrowError("E_DRIVER", {
    what: given === "" ? "there is no API token for DigitalOcean" : "the API token for DigitalOcean is not valid",
    expected: "a token in DIGITALOCEAN_ACCESS_TOKEN",
    hint: "Set DIGITALOCEAN_ACCESS_TOKEN to a token: https://cloud.digitalocean.com/account/api/tokens",
  });
}

/** The API's address. DIGITALOCEAN_API_URL, which doctl and Terraform also use, overrides the default. */
function endpoint(): string {
  const text = process.env["DIGITALOCEAN_API_URL"] ?? "";
  if (text === "") return "https://api.digitalocean.com/";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(127\.|localhost$|\[::1\]$)/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return new URL("/", url).href;
  throw new FurrowError("E_DRIVER", {
    what: "DIGITALOCEAN_API_URL is not an https URL",
    current: text,
    expected: "https://api.digitalocean.com",
    hint: "Correct the variable, or unset it: the token must not be sent unencrypted",
  });
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
