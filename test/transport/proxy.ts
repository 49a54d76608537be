import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** A TCP proxy on 127.0.0.1 with a cable one can pull. */
export interface Proxy {
  readonly port: number;
  /** Resets all connections. */
  cut(): void;
  /** Lets nothing through any more, without a word to either side. */
  stall(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port; each chunk is held for `delayMs` on its way, so that a round trip takes twice that. */
export function startProxy(target: number, delayMs = 0): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let stalled = false;
  const pass = (from: Socket, to: Socket): void => {
    from.on("data", (data) => {
      if (stalled) return;
      if (delayMs === 0) to.write(data);
      else setTimeout(() => !stalled && to.writable && to.write(data), delayMs);
    });
    from.on("end", () => !stalled && setTimeout(() => to.end(), delayMs));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ noDelay: true }, (client) => {
    const host = connect({ port: target, host: "127.0.0.1", noDelay: true });
    sockets.add(client);
    sockets.add(host);
    pass(client, host);
    pass(host, client);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        cut: () => {
          for (const socket of sockets) socket.resetAndDestroy();
        },
        stall: () => (stalled = true),
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}
