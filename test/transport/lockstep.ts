import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** A TCP proxy that makes the two sides take turns, so round trips can be counted and not only timed. */
export interface Lockstep {
  readonly port: number;
  /** The number of times that data has passed from the client to the host and back, not counting TCP's own packets. */
  turns(): number;
  /**
   * The number of answers that the client waited for, that is, those that arrived before the client ended the
   * connection.
   */
  waits(): number;
  close(): Promise<void>;
}

/** A side's turn ends after this many milliseconds without a byte. */
const quietMs = 150;

/** Starts a proxy for a port on this machine. The proxy accepts one connection at a time. */
export function startLockstep(target: number): Promise<Lockstep> {
  let turns = 0;
  let waits = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const host = connect({ port: target, host: "127.0.0.1", noDelay: true });
    turns = 0;
    waits = 0;
    let asked = 0;
    gather(client, host, () => (asked = turns += 1));
    // Two consecutive turns of the host count as one answer.
    gather(host, client, () => {
      if (!client.readableEnded && asked > waits) waits = asked;
    });
    for (const socket of [client, host]) sockets.add(socket.on("error", () => undefined));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        turns: () => turns,
        waits: () => waits,
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}

/** Collects what one side sends until that side pauses, then forwards it in one chunk. */
function gather(from: Socket, to: Socket, passed: () => void): void {
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    if (held.length > 0 && to.writable) {
      passed();
      to.write(Buffer.concat(held));
    }
    held = [];
  };
  from.on("data", (data) => {
    held.push(data);
    clearTimeout(timer);
    timer = setTimeout(pass, quietMs);
  });
  from.on("close", () => {
    clearTimeout(timer);
    pass();
    to.end();
  });
}
