import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";

/** Thrown if no connection to a server could be opened. The message contains nothing that a proxy has sent. */
export class WayFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Opens a new connection to a server, without sending anything on it. */
export type OpenWay = (host: string, port: number, options: RequestOptions) => Promise<Duplex>;

/** Reaches servers over connections that something else opens, with TLS from end to end. */
export class RelayedAgent extends Agent {
  readonly #open: OpenWay;

  constructor(open: OpenWay, options: AgentOptions) {
    super(options);
    this.#open = open;
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
    let failure: unknown = new WayFailed("proxy", "there is no connection to the server");
    try {
      const host = String(options.host ?? options.hostname).replaceAll(/^\[|\]$/g, "");
      const socket = await this.#open(host, Number(options.port ?? 443), options);
      stream = super.createConnection({ ...options, socket } as RequestOptions);
    } catch (error) {
      failure = error;
    }
    if (stream) callback?.(null, stream);
    else callback?.(failure as Error, undefined as unknown as Duplex);
  }
}
