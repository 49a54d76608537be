import { readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/**
 * Stands between furrow and an API server, and counts what furrow asks for. After the answer to one of the requests, and
 * before furrow gets it, it calls `act`: then the request has had its effect, and furrow does not know.
 */
export class LethalProxy {
  /** The number of requests since {@link arm}. */
  count = 0;
  #at = 0;
  #act: () => void = () => {};
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** The proxy's address. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Starts a proxy before the server at `url`, with the certificates in its folder. */
  static async up(folder: string, url: string): Promise<LethalProxy> {
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    const ca = file("ca.crt");
    const server = createServer({ key: file("server.key"), cert: file("server.crt"), ca, requestCert: true });
    const proxy = new LethalProxy(server);
    const admin = { ca, key: file("admin.key"), cert: file("admin.crt") };
    server.on("request", (asked, answer) => {
      const { method, headers } = asked;
      const { host: _host, ...others } = headers;
      const onward = request(`${url}${asked.url}`, { ...admin, method, headers: others }, (got) => {
        const parts: Buffer[] = [];
        got.on("data", (part: Buffer) => parts.push(part));
        got.on("end", () => {
          proxy.count += 1;
          if (proxy.count === proxy.#at) {
            proxy.#act();
            answer.destroy();
            return;
          }
          answer.writeHead(got.statusCode ?? 500, got.headers).end(Buffer.concat(parts));
        });
      });
      onward.on("error", () => answer.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    return proxy;
  }

  /** Counts from now on, and acts after the answer to request `at` (from 1 on; 0 means never). */
  arm(at: number, act: () => void = () => {}): void {
    this.count = 0;
    this.#at = at;
    this.#act = act;
  }

  /** Stops the proxy. */
  async down(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
