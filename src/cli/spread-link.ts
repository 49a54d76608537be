import { type FurrowError, isFurrowError } from "../core/errors.ts";
import { type Channel, ChannelRefused, type Link, type LinkStats } from "../core/host/transport.ts";

interface Connection {
  readonly link: Link;
  open: number;
  /** The number of channels that the host allows on the connection; infinite until the host refuses a channel. */
  room: number;
}

/**
 * A link that uses as many connections as its channels need. If a host limits the sessions per connection (MaxSessions
 * in sshd_config), `connect` opens a new connection for the next channel.
 */
export class SpreadLink implements Link {
  readonly closed: Link["closed"];
  readonly #connections: Connection[] = [];
  readonly #connect: () => Promise<Link>;
  /** The total statistics of the additional connections that are already closed. */
  #past: LinkStats = { bytesSent: 0, bytesReceived: 0, channels: 0 };
  /** Resolves when the newest connection is open. New connections are opened one at a time. */
  #growing: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  constructor(first: Link, connect: () => Promise<Link>) {
    this.closed = first.closed;
    this.#connect = connect;
    this.#connections.push({ link: first, open: 0, room: Number.POSITIVE_INFINITY });
  }

  exec(command: string): Promise<Channel> {
    return this.#start((link) => link.exec(command));
  }

  execPty(command: string): Promise<Channel> {
    return this.#start((link) => link.execPty(command));
  }

  stats(): LinkStats {
    return this.#connections.map(({ link }) => link.stats()).reduce(sum, this.#past);
  }

  get changedKey(): FurrowError | undefined {
    return this.#connections.find(({ link }) => link.changedKey !== undefined)?.link.changedKey;
  }

  get deliversLastWords(): boolean {
    return this.#connections.every(({ link }) => link.deliversLastWords === true);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#connections.map(({ link }) => link.close()));
  }

  async #start(open: (link: Link) => Promise<Channel>): Promise<Channel> {
    const found = await this.#onAny(open);
    if (!(found instanceof Error)) return found;
    const grown = this.#growing.then(async () => {
      // An earlier call may have opened a connection that still has room.
      const again = await this.#onAny(open);
      return again instanceof Error ? this.#on(await this.#grow(again), open) : again;
    });
    this.#growing = grown.catch(() => undefined);
    return grown;
  }

  /** Opens a channel on the first connection with room. If no connection has room, returns the host's last refusal. */
  async #onAny(open: (link: Link) => Promise<Channel>): Promise<Channel | Error> {
    let refusal = new Error("no connection has room");
    for (const connection of this.#connections) {
      if (connection.open >= connection.room) continue;
      try {
        return await this.#on(connection, open);
      } catch (error) {
        // A host that refuses a channel when none is open would refuse one on another connection too.
        const isFull = isFurrowError(error) && error.failure.cause instanceof ChannelRefused && connection.open > 0;
        if (!isFull) throw error;
        connection.room = connection.open;
        refusal = error;
      }
    }
    return refusal;
  }

  async #on(connection: Connection, open: (link: Link) => Promise<Channel>): Promise<Channel> {
    const channel = await open(connection.link);
    connection.open += 1;
    const ended = (): void => void (connection.open -= 1);
    channel.ended.then(ended, ended);
    return channel;
  }

  async #grow(refusal: Error): Promise<Connection> {
    if (this.#isClosing) throw refusal;
    const connection = { link: await this.#connect(), open: 0, room: this.#connections[0]?.room ?? 1 };
    this.#connections.push(connection);
    connection.link.closed
      .finally(() => {
        this.#past = sum(this.#past, connection.link.stats());
        this.#connections.splice(this.#connections.indexOf(connection), 1);
      })
      .catch(() => undefined);
    return connection;
  }
}

function sum(a: LinkStats, b: LinkStats): LinkStats {
  return {
    bytesSent: a.bytesSent + b.bytesSent,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    channels: a.channels + b.channels,
  };
}
