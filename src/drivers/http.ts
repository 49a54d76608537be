import type { Agent as HttpAgent, IncomingMessage, RequestOptions } from "node:http";
import { Agent as TlsAgent, request as requestHttps } from "node:https";
import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { decodeBytes } from "../core/host/bytes.ts";
import { FurrowError } from "../core/errors.ts";
import { isLoopback } from "../core/inventory/loopback.ts";
import { reveal } from "../core/secrets/secret.ts";
import { withoutUrlSecrets } from "../core/secrets/url-secrets.ts";
import { hideProxyPassword } from "./kubeconfig/proxy.ts";
import { Agent, request as requestHttp } from "./node-http.ts";

const requestSchema = z.strictObject({
  /** Only http: or https:. */
  url: z.url({ protocol: /^https?$/ }),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "DELETE"]).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
  /** The time limit for the whole exchange, up to the last byte that is kept. */
  timeoutSeconds: z.number().positive(),
  /** Accepts any certificate. */
  insecure: z.boolean().optional(),
  /** PEM certificates to trust instead of the usual ones. */
  caCert: z.string().optional(),
  /** The number of bytes of the body that are kept. */
  maxBytes: z.int().positive().max(16_777_216).optional(),
  /** If the body does not arrive in time, the answer contains the status and the part received so far. */
  partial: z.boolean().optional(),
  /** The number of redirects that are followed. */
  redirects: z.int().nonnegative().max(20).optional(),
});

type HttpRequest = z.output<typeof requestSchema>;

/** The server's answer, or the reason why no answer arrived. */
type HttpAnswer =
  | {
      readonly status: number;
      /** The first 64 KiB of the body, or as many bytes as requested, decoded by decodeBytes. */
      readonly body: string;
      /** The headers, keyed by lower-case name; several values for one name are joined with a comma. */
      readonly headers: Readonly<Record<string, string>>;
    }
  /** `code` is Node's error code: ECONNREFUSED, ENOTFOUND, ETIMEDOUT, CERT_HAS_EXPIRED, … */
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * Sends requests to web servers from the controller. Every request uses its own connection, so load balancers and moved
 * addresses work. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are honored if Node supports them (24.5 and later), but requests
 * to loopback addresses never go through a proxy.
 */
export const httpDriver: Driver = {
  name: "http",
  read: (request, signal) => follow(requestSchema.parse(request), signal),
  call: async (request, signal) => {
    const wanted = requestSchema.parse(request);
    const answer = await follow(wanted, signal);
    if ("status" in answer && answer.status < 400) return answer;
    throw new FurrowError("E_DRIVER", {
      what: `${wanted.method ?? "GET"} ${withoutUrlSecrets(wanted.url)} failed`,
      current: "error" in answer ? answer.error.message : `HTTP ${answer.status}: ${answer.body.slice(0, 200)}`,
      hint: "Check the server's log, or correct the request",
    });
  },
};

async function follow(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const limit = AbortSignal.timeout(request.timeoutSeconds * 1000);
  let { url } = request;
  let answer = await exchange(request, url, AbortSignal.any([signal, limit]));
  for (let left = request.redirects ?? 0; left > 0 && isRedirect(answer); left -= 1) {
    const target = new URL(answer.headers["location"] ?? "", url);
    if (!/^https?:$/.test(target.protocol)) break;
    // The headers may contain a password that was meant only for the first server.
    const kept = target.origin === new URL(url).origin ? request : { ...request, headers: undefined };
    url = target.href;
    answer = await exchange(kept, url, AbortSignal.any([signal, limit]));
  }
  signal.throwIfAborted();
  return answer;
}

function isRedirect(answer: HttpAnswer): answer is Extract<HttpAnswer, { status: number }> {
  return "status" in answer && [301, 302, 303, 307, 308].includes(answer.status) && "location" in answer.headers;
}

/**
 * The agent for a target. The agent uses no proxy for loopback, even if NO_PROXY does not list loopback, because a
 * proxy cannot reach this machine's loopback.
 */
function agentFor(target: URL): HttpAgent {
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]) {
    const proxy = process.env[name] ?? "";
    if (URL.canParse(proxy)) hideProxyPassword(new URL(proxy));
  }
  const fresh = { keepAlive: false, ...(!isLoopback(target.href) && { proxyEnv: process.env }) };
  return target.protocol === "https:" ? new TlsAgent(fresh) : new Agent(fresh);
}

function exchange(request: HttpRequest, url: string, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((settle) => {
    const target = new URL(url);
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, reveal(value)]);
    const options: RequestOptions & { rejectUnauthorized?: boolean; ca?: string } = {
      method: request.method ?? "GET",
      headers: { "user-agent": "furrow", accept: "*/*", ...(Object.fromEntries(headers) as object) },
      agent: agentFor(target),
      signal,
      ...(request.insecure === true && { rejectUnauthorized: false }),
      ...(request.caCert !== undefined && { ca: request.caCert }),
    };
    let partly: (() => void) | undefined;
    const fail = (error: NodeJS.ErrnoException): void => {
      if (request.partial === true && signal.aborted && partly !== undefined) partly();
      else settle({ error: describe(error, signal, request) });
    };
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const sent = send(target, options, (response) => {
      partly = collect(response, request.maxBytes ?? 65_536, settle);
      response.on("error", fail);
    });
    sent.on("error", fail);
    sent.end(request.body === undefined ? undefined : reveal(request.body));
  });
}

/**
 * Collects an answer, and calls `settle` when the answer is complete. Returns a function that settles early with the
 * part received so far.
 */
function collect(response: IncomingMessage, limit: number, settle: (answer: HttpAnswer) => void): () => void {
  const parts: Buffer[] = [];
  let size = 0;
  const done = (): void => {
    const body = decodeBytes(Buffer.concat(parts).subarray(0, limit));
    const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
    settle({ status: response.statusCode ?? 0, body, headers: Object.fromEntries(headers) as Record<string, string> });
  };
  response.on("data", (part: Buffer) => {
    parts.push(part);
    size += part.length;
    if (size < limit) return;
    done();
    response.destroy();
  });
  response.on("end", done);
  return done;
}

function describe(
  error: NodeJS.ErrnoException,
  signal: AbortSignal,
  request: HttpRequest,
): { code: string; message: string } {
  if (signal.aborted) return { code: "ETIMEDOUT", message: `no complete answer within ${request.timeoutSeconds} s` };
  // A connection to a name with several addresses fails with one error for each address.
  const [first = error] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [error];
  const isPlain = /wrong version number|packet length too long|record overflow/i.test(first.message);
  const message = isPlain ? "the server does not answer with TLS: this may be a port for http://" : first.message;
  return { code: first.code ?? "ERROR", message };
}
