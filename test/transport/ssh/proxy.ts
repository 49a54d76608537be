import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** A TCP proxy on 127.0.0.1 whose connections can be disturbed. */
export interface Proxy {
  readonly port: number;
  /** Resets all connections. */
  cut(): void;
  /** Stops forwarding without notifying either side. */
  stall(): void;
  /** Stops forwarding on the existing connections only, without notifying either side. */
  freeze(): void;
  /** Number of connections that are neither ended nor frozen. */
  connections(): number;
  /** Number of bytes forwarded so far, in both directions together. */
  passed(): number;
  /** Refuses new connections, or accepts them again. */
  refuse(refused: boolean): void;
  /** Calls `act` once, after this many more bytes have been forwarded in both directions together. */
  after(bytes: number, act: () => void): void;
  /** From now on, each new connection stops forwarding once it has carried this many bytes from the host. */
  silenceEach(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a proxy for a port. Each chunk is delayed by `delayMs`, which adds twice that time to a round trip. */
export function startProxy(target: number, delayMs = 0, host = "127.0.0.1"): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const frozen = new Set<Socket>();
  let stalled = false;
  let refused = false;
  let passed = 0;
  let watch: { left: number; act: () => void } | undefined;
  let most = Number.POSITIVE_INFINITY;
  const pass = (from: Socket, to: Socket, room: number): void => {
    let left = room;
    from.on("data", (data) => {
      left -= data.length;
      if (left < 0) frozen.add(from);
      if (stalled || frozen.has(from)) return;
      passed += data.length;
      if (watch) {
        watch.left -= data.length;
        if (watch.left <= 0) {
          const { act } = watch;
          watch = undefined;
          act();
          return;
        }
      }
      if (delayMs === 0) to.write(data);
      else setTimeout(() => !stalled && to.writable && to.write(data), delayMs);
    });
    from.on("end", () => !stalled && !frozen.has(from) && setTimeout(() => to.end(), delayMs));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (refused) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: target, host, noDelay: true });
    sockets.add(client);
    sockets.add(server);
    pass(client, server, Number.POSITIVE_INFINITY);
    pass(server, client, most);
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
        freeze: () => {
          for (const socket of sockets) frozen.add(socket);
        },
        connections: () => [...sockets].filter((socket) => !frozen.has(socket) && !socket.destroyed).length >> 1,
        passed: () => passed,
        refuse: (now) => (refused = now),
        after: (left, act) => (watch = { left, act }),
        silenceEach: (bytes) => (most = bytes),
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}
