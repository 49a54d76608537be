import type { Address, AttemptFailed, Link, Transport } from "../core/host/transport.ts";
import { SpreadLink } from "./spread-link.ts";

interface Shared {
  readonly link: Promise<Link>;
  users: number;
}

/**
 * Opens one connection per host, which all sessions on the host share, regardless of their become user. Opens more
 * connections only if the host limits the number of channels per connection.
 */
export class Links {
  readonly #shared = new Map<string, Shared>();
  readonly #transportOf: (address: Address) => Promise<Transport>;

  constructor(transportOf: (address: Address) => Promise<Transport>) {
    this.#transportOf = transportOf;
  }

  /**
   * Opens a link to the host. The connection is closed once all its links are closed. Throws the transport's errors.
   */
  async open(address: Address, signal: AbortSignal, failed?: AttemptFailed): Promise<Link> {
    const known = this.#shared.get(address.name);
    const shared = known ?? { link: this.#connect(address, signal, failed), users: 0 };
    if (known === undefined) this.#shared.set(address.name, shared);
    shared.users += 1;
    const forget = (): void => {
      if (this.#shared.get(address.name) === shared) this.#shared.delete(address.name);
    };
    let link: Link;
    try {
      link = await shared.link;
    } catch (error) {
      forget();
      throw error;
    }
    if (known === undefined) link.closed.finally(forget).catch(() => undefined);
    return share(link, known === undefined, () => {
      shared.users -= 1;
      if (shared.users > 0) return Promise.resolve();
      forget();
      return link.close();
    });
  }

  async #connect(address: Address, signal: AbortSignal, failed: AttemptFailed | undefined): Promise<Link> {
    const transport = await this.#transportOf(address);
    return new SpreadLink(await transport.connect(address, signal, failed), () => transport.connect(address, signal));
  }
}

/** Creates one of several links that share a connection. Only one of these links counts the connection's bytes. */
function share(link: Link, counts: boolean, close: () => Promise<void>): Link {
  let open = true;
  return {
    exec: (command) => link.exec(command),
    execPty: (command) => link.execPty(command),
    stats: () => (counts ? link.stats() : { bytesSent: 0, bytesReceived: 0, channels: 0 }),
    closed: link.closed,
    deliversLastWords: link.deliversLastWords === true,
    get changedKey() {
      return link.changedKey;
    },
    close: () => {
      if (!open) return Promise.resolve();
      open = false;
      return close();
    },
  };
}
