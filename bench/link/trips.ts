/**
 * Counts how many round trips a client waits for, by the order of messages and not by times: a logical clock (Lamport,
 * 1978) that counts in round trips. Every message arrives half a round trip after the latest message that its sender
 * had received. There is one clock per address: consecutive connections to it add up.
 */
export class Trips {
  #client = 0;
  #waited = 0;

  /** A client connects: TCP's own handshake is a round trip for the client, one and a half for the host. */
  connect(): Conversation {
    let client = this.#client + 1;
    let host = client + 0.5;
    const act = (): number => {
      client = Math.max(client, this.#client);
      this.#waited = Math.max(this.#waited, client);
      return client + 0.5;
    };
    return {
      clientSays: act,
      hostHears: (at) => void (host = Math.max(host, at)),
      hostSays: () => host + 0.5,
      clientHears: (at) => {
        client = Math.max(client, at);
        this.#client = Math.max(this.#client, client);
      },
    };
  }

  /** Round trips that had passed when the client last sent something, or ended a connection. */
  get waited(): number {
    return this.#waited;
  }
}

/** Messages on one connection; moments are in round trips. */
export interface Conversation {
  /** The client sends something, or ends its side. Returns when that arrives. */
  clientSays(): number;
  /** Data that was due then reaches the host. */
  hostHears(at: number): void;
  /** The host sends something. Returns when that arrives. */
  hostSays(): number;
  /** Data that was due then reaches the client. */
  clientHears(at: number): void;
}
