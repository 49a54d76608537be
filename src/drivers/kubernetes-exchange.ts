import type { ClientRequest } from "node:http";
import { type Agent, request as requestHttps } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../core/facts/symbols.ts";
import { reveal } from "../core/secrets/secret.ts";
import type { Credential } from "./kubeconfig/exec-credential.ts";
import type { ClusterAccess } from "./kubeconfig/kubeconfig.ts";
import { agentFor } from "./kubeconfig/proxy-agent.ts";
import { withoutValues } from "./api-message/without-values.ts";

/** How long the driver waits for a cluster. */
export interface Patience {
  /** Milliseconds for one request and its complete response. */
  readonly requestMs: number;
  /** Milliseconds after which a query sends no more requests, neither for further pages nor as retries. */
  readonly deadlineMs: number;
  /** Milliseconds before a retry if the server does not say how long to wait. */
  readonly pauseMs: number;
  /**
   * Milliseconds for the program that a kubeconfig uses to log in; not counted in the limits above. Default: a minute.
   */
  readonly loginMs?: number;
  /**
   * Milliseconds until the deadline of a change. Every request ends at this deadline, but has at least a second. No
   * retry begins after the deadline. Default: no such limit.
   */
  readonly changeMs?: number | undefined;
}

/** One request to a cluster's API. */
export interface ApiRequest {
  readonly path: string;
  readonly method?: string | undefined;
  /** The body, sent as JSON; its strings may contain secrets. */
  readonly body?: unknown;
  /** The type of the body; default: a merge patch for PATCH, otherwise JSON. */
  readonly contentType?: string;
  /**
   * True to get responses 429 and 503 at once, because the caller itself retries and reports what it is waiting for.
   */
  readonly answersBusy?: boolean;
}

/** A complete response: the server has sent all of it. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  /** The value of the Retry-After header. */
  readonly retryAfter?: string;
}

/** A response that did not arrive, or did not arrive completely. */
export class NoAnswer extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const limit = 64 * 2 ** 20;

/** The minimum time limit of a request in milliseconds, even if less is left until the deadline of its change. */
const leastMs = 1000;

/** Performs one query, which may take several requests, within one deadline. */
export class Conversation {
  readonly #access: ClusterAccess & { readonly agent?: Agent };
  readonly #patience: Patience;
  readonly #signal: AbortSignal;
  #end: number;
  #changeEnd: number;

  /** `agent`: keeps connections open for later requests; default: one connection per request. */
  constructor(access: ClusterAccess & { readonly agent?: Agent }, patience: Patience, signal: AbortSignal) {
    this.#access = access;
    this.#patience = patience;
    this.#signal = signal;
    this.#end = Date.now() + patience.deadlineMs;
    this.#changeEnd = Date.now() + (patience.changeMs ?? Infinity);
  }

  /**
   * Sends a request. Retries while the server reports that it is busy (429 or 503), until the deadline; a request that
   * changes something is retried only if the server asks for a retry. Throws NoAnswer, or the signal's reason.
   */
  async ask(request: ApiRequest): Promise<ApiAnswer> {
    if (Date.now() >= this.#end)
      throw new NoAnswer("timeout", `no complete answer within ${this.#patience.deadlineMs / 1000} seconds`);
    for (;;) {
      const answer = await this.asUser(
        (credential) => this.#send(request, credential),
        ({ status }) => status === 401,
      );
      const waitMs = this.#pauseAfter(answer, request);
      if (waitMs === undefined || Date.now() + waitMs >= Math.min(this.#end, this.#changeEnd)) return answer;
      await pause(waitMs, undefined, { signal: this.#signal });
    }
  }

  #pauseAfter({ status, retryAfter }: ApiAnswer, { method, answersBusy }: ApiRequest): number | undefined {
    if ((status !== 429 && status !== 503) || answersBusy === true) return undefined;
    const asked = retryAfter === undefined ? Number.NaN : retryAfterMs(retryAfter);
    // A server that sends 0 would be queried again and again without a pause.
    if (!Number.isNaN(asked)) return Math.max(asked, this.#patience.pauseMs);
    return method === undefined ? this.#patience.pauseMs : undefined;
  }

  /** Acts with the user's credential; retries once with a new credential if the server refused the first. */
  async asUser<T>(act: (credential: Credential) => Promise<T>, isRefused: (answer: T) => boolean): Promise<T> {
    const { login } = this.#access;
    if (login === undefined) return act(this.#access);
    const wait = [this.#patience.loginMs ?? 60_000, this.#signal] as const;
    const credential = await this.#beforehand(() => login.credential(...wait));
    const answer = await act(credential);
    return isRefused(answer) ? act(await this.#beforehand(() => login.instead(credential, ...wait))) : answer;
  }

  async #beforehand(login: () => Promise<Credential>): Promise<Credential> {
    const begin = Date.now();
    try {
      return await login();
    } catch (error) {
      this.#signal.throwIfAborted();
      const { code = "login", message } = error as NodeJS.ErrnoException;
      throw new NoAnswer(code, message);
    } finally {
      this.#end += Date.now() - begin;
      this.#changeEnd += Date.now() - begin;
    }
  }

  async #send(request: ApiRequest, credential: Credential): Promise<ApiAnswer> {
    const requestMs = Math.min(this.#patience.requestMs, Math.max(leastMs, Math.ceil(this.#changeEnd - Date.now())));
    const timeout = AbortSignal.timeout(requestMs);
    try {
      return await exchange(this.#access, credential, request, AbortSignal.any([this.#signal, timeout]));
    } catch (error) {
      this.#signal.throwIfAborted();
      if (timeout.aborted) throw new NoAnswer("timeout", `no complete answer within ${secondsText(requestMs)}`);
      if (error instanceof NoAnswer) throw error;
      const { code = "ERROR", message } = error as NodeJS.ErrnoException;
      throw new NoAnswer(code, message);
    }
  }
}

function secondsText(ms: number): string {
  const seconds = Math.round(ms / 100) / 10;
  return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}

/** Reads the Retry-After header, which contains seconds or a date; NaN if it contains neither. */
export function retryAfterMs(header: string): number {
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  return Math.max(0, Date.parse(header) - Date.now());
}

/** Sends a request to a cluster's API. The caller handles the response and the errors. */
export function sendRequest(
  access: ClusterAccess & { readonly agent?: Agent },
  credential: Credential,
  { path, method, body, contentType }: ApiRequest,
  signal: AbortSignal,
): ClientRequest {
  const text = body === undefined ? undefined : reveal(JSON.stringify(body));
  const { ca, insecure, serverName, impersonation } = access;
  const { cert, key, token } = credential;
  const sent = requestHttps(new URL(access.server + path), {
    method: method ?? "GET",
    agent: access.agent ?? agentFor(access, { keepAlive: false }),
    signal,
    rejectUnauthorized: !insecure,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    headers: {
      accept: "application/json",
      "user-agent": "furrow",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...impersonation,
      ...(text !== undefined && {
        // Otherwise Node sends the body of a DELETE without a length, and the server ignores it.
        "content-length": Buffer.byteLength(text),
        "content-type": contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json"),
      }),
    },
  });
  sent.end(text);
  return sent;
}

function exchange(
  access: ClusterAccess & { readonly agent?: Agent },
  credential: Credential,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  return new Promise((settle, fail) => {
    const sent = sendRequest(access, credential, request, signal);
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection just as the request was sent on it. All requests on connections that are
      // kept open are safe to repeat.
      const isStale = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      if (isStale && !signal.aborted) settle(exchange(access, credential, request, signal));
      else fail(error);
    });
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        if (size > limit) return void response.destroy(new NoAnswer("too-large", "the response is too large"));
        return void parts.push(part);
      });
      response.on("error", (error) =>
        fail(error instanceof NoAnswer ? error : new NoAnswer("cut-short", "the response ended early")),
      );
      response.on("end", () => {
        const retryAfter = response.headers["retry-after"];
        settle({
          status: response.statusCode ?? 0,
          body: Buffer.concat(parts).toString("utf8"),
          ...(retryAfter !== undefined && { retryAfter }),
        });
      });
    });
  });
}

/**
 * The message from a Status object, in which the API explains a refusal, or the beginning of a proxy's page. Other
 * JSON, even if it is cut off, is never quoted: it could be an object with secret values.
 */
export function messageOf(body: string): string {
  const json = parsed(body);
  const isPage = json === undefined && !/^\s*[[{]/.test(body);
  if (isPage) return body.trim().slice(0, 200);
  const { message, reason, error } = isRecord(json) ? json : {};
  const said = [message, reason, error].find((one) => typeof one === "string");
  return said === undefined ? "the answer contains no message" : withoutValues(said);
}

/** Parses JSON; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
