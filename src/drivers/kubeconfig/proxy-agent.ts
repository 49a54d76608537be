import { Agent, type AgentOptions, request as requestHttps, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { request as requestHttp } from "../node-http.ts";

/** A connection that a proxy did not make. The message contains nothing that the proxy says. */
class ProxyFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const deadlineMs = 30_000;

/** Reaches servers through a proxy, with TLS from end to end. */
export class ProxyAgent extends Agent {
  readonly #proxy: URL;
  readonly #serverName: string | undefined;

  /** `serverName`: the name that certificates must contain, also that of an https proxy; default: the address. */
  constructor(proxy: URL, serverName: string | undefined, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#serverName = serverName;
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    void this.#connect(options, callback);
    return undefined;
  }

  async #connect(options: RequestOptions, callback?: (error: Error | null, stream: Duplex) => void): Promise<void> {
    let stream: Duplex | null | undefined;
    let failure: unknown = new ProxyFailed("proxy", "there is no connection to the proxy");
    try {
      stream = super.createConnection({ ...options, socket: await this.#open(options) } as RequestOptions);
    } catch (error) {
      failure = error;
    }
    if (stream) callback?.(null, stream);
    else callback?.(failure as Error, undefined as unknown as Duplex);
  }

  /** Opens a connection to the server, on which nothing has been sent yet. */
  #open(options: RequestOptions): Promise<Duplex> {
    const host = String(options.host ?? options.hostname).replaceAll(/^\[|\]$/g, "");
    const port = Number(options.port ?? 443);
    return this.#proxy.protocol === "socks5:" ? this.#throughSocks(host, port) : this.#throughHttp(host, port, options);
  }

  async #throughSocks(host: string, port: number): Promise<Duplex> {
    const { SocksClient } = await import("socks");
    try {
      const { socket } = await SocksClient.createConnection({
        // The proxy resolves the server's name, as kubectl lets it do.
        proxy: {
          ...this.#address(1080),
          type: 5,
          ...(this.#user !== "" && { userId: this.#user, password: this.#password }),
        },
        command: "connect",
        destination: { host, port },
        timeout: deadlineMs,
      });
      return socket;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // The library's errors contain its options, with the password.
      throw new ProxyFailed(code ?? "proxy", `through the proxy: ${message}`);
    }
  }

  #throughHttp(host: string, port: number, { ca, cert, key, rejectUnauthorized }: RequestOptions): Promise<Duplex> {
    const isSecure = this.#proxy.protocol === "https:";
    const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const userAndPassword = Buffer.from(`${this.#user}:${this.#password}`).toString("base64");
    return new Promise((settle, fail) => {
      const asked = (isSecure ? requestHttps : requestHttp)({
        ...this.#address(isSecure ? 443 : 80),
        method: "CONNECT",
        path: target,
        agent: false,
        headers: {
          host: target,
          "user-agent": "furrow",
          ...(this.#proxy.username !== "" && { "proxy-authorization": `Basic ${userAndPassword}` }),
        },
        ...(isSecure && {
          ca,
          cert,
          key,
          rejectUnauthorized,
          ...(this.#serverName && { servername: this.#serverName }),
        }),
      });
      const timer = setTimeout(() => asked.destroy(new ProxyFailed("timeout", "no answer in time")), deadlineMs);
      asked.on("error", ({ code = "proxy", message }: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        fail(new ProxyFailed(code, `through the proxy: ${message}`));
      });
      asked.on("connect", ({ statusCode = 0 }, socket, head) => {
        clearTimeout(timer);
        if (statusCode === 200 && head.length === 0) {
          settle(socket);
          return;
        }
        socket.destroy();
        // 502 to 504: the proxy cannot reach the server now.
        const code = statusCode >= 502 && statusCode <= 504 ? "proxy-now" : "proxy";
        fail(new ProxyFailed(code, `the proxy answers HTTP ${statusCode} instead of connecting`));
      });
      asked.end();
    });
  }

  #address(port: number): { readonly host: string; readonly port: number } {
    const { hostname, port: given } = this.#proxy;
    return { host: hostname.replaceAll(/^\[|\]$/g, ""), port: given === "" ? port : Number(given) };
  }

  get #user(): string {
    return decodeURIComponent(this.#proxy.username);
  }

  get #password(): string {
    return decodeURIComponent(this.#proxy.password);
  }
}

/** Keeps or makes connections to a server, through its proxy if it has one. */
export function agentFor(
  { proxy, serverName }: { readonly proxy?: URL; readonly serverName?: string },
  options: AgentOptions,
): Agent {
  return proxy === undefined ? new Agent(options) : new ProxyAgent(proxy, serverName, options);
}
