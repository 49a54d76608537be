import { readFileSync } from "node:fs";
import {
  type ClientRequest,
  createServer as createPlainServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Opens a request to the server behind the proxy. */
type Open = (path: string, options: object) => ClientRequest;

/**
 * A proxy between furrow and an API server that records furrow's requests. After the response to one of the requests,
 * and before furrow gets it, the proxy calls `act`: the request has then taken effect, but furrow does not know.
 */
export class LethalProxy {
  /** The requests that have been answered since {@link arm}: `PATCH /api/v1/…`, and `dryRun=All` if a body says so. */
  calls: string[] = [];
  #at = 0;
  #act: () => void = () => {};
  #port = 0;
  readonly #servers: Server[] = [];

  /** The proxy's URL for the API server. */
  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Starts a proxy in front of the server at `url`, with the certificates in its folder. */
  static async up(folder: string, url: string): Promise<LethalProxy> {
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    const ca = file("ca.crt");
    const proxy = new LethalProxy();
    const server = createServer({ key: file("server.key"), cert: file("server.crt"), ca, requestCert: true });
    const admin = { ca, key: file("admin.key"), cert: file("admin.crt") };
    proxy.#port = await proxy.#serve(server, (path, options) => request(url + path, { ...admin, ...options }));
    return proxy;
  }

  /** Also proxies another server, over plain HTTP, and counts its requests with the others. Returns the address. */
  async alsoBefore(url: string): Promise<string> {
    const port = await this.#serve(createPlainServer(), (path, options) => plainRequest(url + path, options));
    return `http://127.0.0.1:${port}`;
  }

  /** Restarts the count, and acts after the response to request `at` (counted from 1; 0 means never). */
  arm(at: number, act: () => void = () => {}): void {
    this.calls = [];
    this.#at = at;
    this.#act = act;
  }

  /** Stops the proxy. */
  async down(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  async #serve(server: Server, open: Open): Promise<number> {
    this.#servers.push(server);
    server.on("request", (asked, answer) => this.#pass(asked, answer, open));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    return (server.address() as AddressInfo).port;
  }

  #pass(asked: IncomingMessage, answer: ServerResponse, open: Open): void {
    const { method = "", url = "", headers } = asked;
    const { host: _host, ...others } = headers;
    const onward = open(url, { method, headers: others });
    let body = "";
    asked.on("data", (part: Buffer) => (body += part.toString()));
    onward.on("response", (got) => {
      const parts: Buffer[] = [];
      got.on("data", (part: Buffer) => parts.push(part));
      got.on("end", () => {
        const rehearsal = body.includes('"dryRun":["All"]') ? " dryRun=All" : "";
        if (this.calls.push(`${method} ${url}${rehearsal}`) === this.#at) {
          this.#act();
          answer.destroy();
          return;
        }
        answer.writeHead(got.statusCode ?? 500, got.headers).end(Buffer.concat(parts));
      });
    });
    onward.on("error", () => answer.destroy());
    // A watch ends only when furrow has seen enough, because its response is never complete.
    if (method === "GET") answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  }
}
