import { Agent, type AgentOptions, request as requestHttps, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { isFurrowError } from "../../core/errors.ts";
import { request as requestHttp } from "../node-http.ts";
import { type OpenWay, RelayedAgent, WayFailed } from "./relayed-agent.ts";
import { hostTunnels } from "../../core/host/host-tunnels.ts";

const deadlineMs = 30_000;

/** Opens connections to servers through a proxy. */
class Proxy {
  readonly #proxy: URL;
  readonly #serverName: string | undefined;

  /**
   * `serverName`: the name that certificates must contain, including the certificate of an https proxy; default: the
   * address.
   */
  constructor(proxy: URL, serverName: string | undefined) {
    this.#proxy = proxy;
    this.#serverName = serverName;
  }

  readonly open: OpenWay = (host, port, options) =>
    this.#proxy.protocol === "socks5:" ? this.#throughSocks(host, port) : this.#throughHttp(host, port, options);

  async #throughSocks(host: string, port: number): Promise<Duplex> {
    const { SocksClient } = await import("socks");
    try {
      const { socket } = await SocksClient.createConnection({
        // The proxy resolves the server's name, as with kubectl.
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
      // The library's errors contain its options, including the password.
      throw new WayFailed(code ?? "proxy", `through the proxy: ${message}`);
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
      const timer = setTimeout(() => asked.destroy(new WayFailed("timeout", "no answer in time")), deadlineMs);
      asked.on("error", ({ code = "proxy", message }: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        fail(new WayFailed(code, `through the proxy: ${message}`));
      });
      asked.on("connect", ({ statusCode = 0 }, socket, head) => {
        clearTimeout(timer);
        if (statusCode === 200 && head.length === 0) {
          settle(socket);
          return;
        }
        socket.destroy();
        // 502 to 504: the proxy currently cannot reach the server.
        const code = statusCode >= 502 && statusCode <= 504 ? "proxy-now" : "proxy";
        fail(new WayFailed(code, `the proxy answers HTTP ${statusCode} instead of connecting`));
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

/** Opens connections to a server from a host of the inventory. */
function fromHost(through: string): OpenWay {
  return async (address, port) => {
    const tunnels = hostTunnels();
    if (tunnels === undefined) throw new WayFailed("host", `there is no inventory with the host "${through}"`);
    try {
      return await tunnels.open(through, { address, port }, AbortSignal.timeout(deadlineMs));
    } catch (error) {
      const { code = "host", message } = error as NodeJS.ErrnoException;
      const said = isFurrowError(error) ? [message, error.failure.current].filter(Boolean).join(": ") : message;
      // An unreachable host may be rebooting.
      throw new WayFailed(code === "E_UNREACHABLE" ? "host-now" : code, `through the host "${through}": ${said}`);
    }
  };
}

/**
 * The agent that opens connections to a server and keeps them open, through the server's proxy or host if it has one.
 */
export function agentFor({ proxy, serverName, through }: Way, options: AgentOptions): Agent {
  if (through !== undefined) return new RelayedAgent(fromHost(through), options);
  return proxy === undefined ? new Agent(options) : new RelayedAgent(new Proxy(proxy, serverName).open, options);
}

/** How a server is reached. */
interface Way {
  readonly proxy?: URL;
  readonly serverName?: string;
  /** The host of the inventory from which connections are opened. */
  readonly through?: string;
}
