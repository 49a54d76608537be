import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Account } from "./account.ts";
import type { Settings } from "./answers.ts";
import { Refusal } from "./refusal.ts";
import { answer } from "./routes.ts";

/** The token that the fake accepts. */
export const token = "dop_v1_fake";

/** A failure that is injected into the next matching calls. */
export interface Planned {
  /** Matches `METHOD path`. */
  readonly on: RegExp;
  readonly status: number;
  readonly id: string;
  readonly message: string;
  times: number;
}

/**
 * A fake of the part of DigitalOcean's API that furrow uses, over HTTP on 127.0.0.1. It follows the published OpenAPI
 * specification, and refuses unknown fields and parameters. The addresses that it assigns are in 127.0.0.0/8.
 */
export class DigitalOceanFake {
  account = new Account();
  readonly settings: Settings = { addressOf: (number) => `127.30.0.${number}`, lost: () => false };
  /** All calls in order, each as `METHOD path`. */
  readonly calls: string[] = [];
  readonly planned: Planned[] = [];
  /** Called with the number of each call after the call has been performed; returns true to suppress the response. */
  cut: (call: number) => boolean = () => false;
  /** Changes the response to a query, `GET path`, for a page of a list. */
  paged: (call: string, page: number, body: object) => object = (_call, _page, body) => body;
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));
  #isCut = false;

  /** Starts the server. Returns the environment variables with which furrow finds the fake. */
  async start(): Promise<Record<string, string>> {
    await new Promise<void>((settle) => this.#server.listen(0, "127.0.0.1", settle));
    const { port } = this.#server.address() as AddressInfo;
    return { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: `http://127.0.0.1:${port}` };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((settle) => this.#server.close(settle));
  }

  /** Removes all resources. */
  wipe(): void {
    this.account = new Account();
    this.calls.length = 0;
    this.planned.length = 0;
    this.paged = (_call, _page, body) => body;
    this.heal();
  }

  /** Lets the fake respond again after its responses were cut off. */
  heal(): void {
    this.#isCut = false;
    this.cut = () => false;
  }

  /** Calls that change resources. */
  get changes(): string[] {
    return this.calls.filter((call) => !call.startsWith("GET "));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (this.#isCut) return void request.socket.destroy();
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const path = url.pathname.replace(/^\/v2\//, "");
    const method = request.method ?? "GET";
    const number = this.calls.push(`${method} ${path}`);
    const [status, answered] = this.#answer(
      request,
      method,
      path,
      url.searchParams,
      Buffer.concat(parts).toString("utf8"),
    );
    const page = Number(url.searchParams.get("page"));
    const body = page > 0 && answered !== undefined ? this.paged(`${method} ${path}`, page, answered) : answered;
    this.#isCut = this.cut(number);
    if (this.#isCut || this.settings.lost(`${method} ${path}`)) return void request.socket.destroy();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  #answer(
    request: IncomingMessage,
    method: string,
    path: string,
    query: URLSearchParams,
    text: string,
  ): readonly [number, object?] {
    try {
      if (request.headers.authorization !== `Bearer ${token}`) {
        throw new Refusal(401, "unauthorized", "Unable to authenticate you.");
      }
      const failure = this.planned.find(({ on, times }) => times > 0 && on.test(`${method} ${path}`));
      if (failure) {
        failure.times -= 1;
        throw new Refusal(failure.status, failure.id, failure.message);
      }
      if (text !== "" && request.headers["content-type"] !== "application/json") {
        throw new Refusal(415, "unsupported_media_type", "the body must be JSON");
      }
      return answer(this.account, this.settings, {
        method,
        path,
        query,
        body: text === "" ? undefined : JSON.parse(text),
      });
    } catch (error) {
      // A bug in the fake must not look like a cloud that does not respond.
      if (!(error instanceof Refusal)) return [501, { id: "bug", message: String(error) }];
      const { status, id, message } = error;
      return [status, { id, message, request_id: "4d9d8375-3c56-4925-a3e7-eb137fed17e9" }];
    }
  }
}
