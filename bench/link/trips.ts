/**
 * How many round trips a client waits for, told from what came before what and not from times: a logical clock
 * (Lamport, 1978) that counts in round trips. Whatever somebody says arrives half a round trip after the latest thing they
 * had heard. One of these is for one address: connections to it that follow each other add up.
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

  /** Round trips that had passed when the client last said something, or ended a connection. */
  get waited(): number {
    return this.#waited;
  }
}

/** What is said and heard on one connection; moments are in round trips. */
export interface Conversation {
  /** The client says something, or ends its side: when that arrives. */
  clientSays(): number;
  /** What was to arrive then is handed to the host. */
  hostHears(at: number): void;
  /** The host says something: when that arrives. */
  hostSays(): number;
  /** What was to arrive then is handed to the client. */
  clientHears(at: number): void;
}
