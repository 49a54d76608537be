/**
 * Counts how many round trips a client waits for, from the order of messages and not from times. It is a logical clock
 * (Lamport, 1978) that counts round trips: every message arrives half a round trip after the latest message that its
 * sender has received. There is one clock per address, so consecutive connections to it add up.
 */
export class Trips {
  #client = 0;
  #waited = 0;

  /** A client connects: TCP's own handshake takes one round trip for the client, and one and a half for the host. */
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

  /** Round trips that had passed when the client last sent something or ended a connection. */
  get waited(): number {
    return this.#waited;
  }
}

/** The messages on one connection; times are in round trips. */
export interface Conversation {
  /** The client sends data or closes its side. Returns the time at which the host receives it. */
  clientSays(): number;
  /** The host receives data that was due to arrive at time `at`. */
  hostHears(at: number): void;
  /** The host sends data. Returns the time at which the client receives it. */
  hostSays(): number;
  /** The client receives data that was due to arrive at time `at`. */
  clientHears(at: number): void;
}
