import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { median } from "../measure/statistics.ts";
import type { CableAnswer, CableOrder, Passed } from "./delay-proxy.ts";
import type { CableKind } from "./pace.ts";

/** Delay proxies with the same properties, all in one separate process. */
export interface Cable {
  /** Opens local ports that are forwarded to the addresses. Returns the ports in the same order. */
  lay(addresses: readonly { readonly address: string; readonly port: number }[]): Promise<readonly number[]>;
  /** The traffic since the last call. */
  count(): Promise<Passed>;
  close(): void;
}

/** Starts a cable's process. */
export function startCable(kind: CableKind): Cable {
  const child = fork(join(import.meta.dirname, "delay-proxy.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ask = async (order: CableOrder): Promise<CableAnswer> => {
    const answered = once(child, "message") as Promise<[CableAnswer]>;
    child.send(order);
    return (await answered)[0];
  };
  return {
    async lay(addresses) {
      const answer = await ask({ lay: addresses, kind });
      return "ports" in answer ? answer.ports : [];
    },
    async count() {
      const answer = await ask({ count: true });
      return "passed" in answer ? answer.passed : { connections: 0, bytesOut: 0, bytesIn: 0, roundTrips: 0 };
    },
    close: () => void (child.connected && child.disconnect()),
  };
}

/** The actual round-trip time of a cable in milliseconds: the median of several one-byte echoes. */
export async function measuredRtt(cable: Cable, echoes = 15): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => socket.pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const [port] = await cable.lay([{ address: "127.0.0.1", port: (server.address() as { port: number }).port }]);
  const socket = connect({ host: "127.0.0.1", port: port ?? 0, noDelay: true });
  const times: number[] = [];
  for (let echo = 0; echo <= echoes; echo += 1) {
    const sent = performance.now();
    socket.write("x");
    await once(socket, "data");
    times.push(performance.now() - sent);
  }
  socket.destroy();
  server.close();
  await cable.count();
  // The first echo also waits for the connection.
  return median(times.slice(1));
}
