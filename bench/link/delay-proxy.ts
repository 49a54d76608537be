/**
 * Simulates a long cable, in a separate process so that it takes no CPU time from the controller. Its TCP ports on
 * 127.0.0.1 forward to other addresses, and everything arrives half a round trip later, or later still if the cable is
 * narrow (`pace.ts`). It also counts the traffic. `cable.ts` starts it with fork(), sends it `CableOrder`s, and gets a
 * `CableAnswer` to each.
 */
import { createServer, type Server, Socket } from "node:net";
import { type CableKind, Pace } from "./pace.ts";
import { Trips } from "./trips.ts";

/** A command to the process: lay cables, report the traffic since the last report, or exit. */
export type CableOrder =
  | { readonly lay: readonly { readonly address: string; readonly port: number }[]; readonly kind: CableKind }
  | { readonly count: true };

/** The process's answer: the ports, in the order of the addresses, or the traffic. */
export type CableAnswer = { readonly ports: readonly number[] } | { readonly passed: Passed };

/** The traffic through all cables. */
export interface Passed {
  readonly connections: number;
  /** Bytes sent from the controller to the hosts. */
  readonly bytesOut: number;
  /** Bytes sent from the hosts to the controller. */
  readonly bytesIn: number;
  /**
   * Round trips that a client waited for, including those for opening connections, at the address with the most round
   * trips.
   */
  readonly roundTrips: number;
}

interface Counts {
  connections: number;
  bytesOut: number;
  bytesIn: number;
}

/**
 * The sender is paused while more bytes than this are waiting for a slow receiver; bytes in flight are not included.
 */
const mostWaitingBytes = 64 * 1024 * 1024;

let counts: Counts = { connections: 0, bytesOut: 0, bytesIn: 0 };
/** One entry for each address that has been connected to since the last count. */
const trips = new Map<Server, Trips>();

/** One direction of a connection, with the data in transit. */
interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  readonly kind: CableKind;
  /** No data counts as sent before this time (on the clock of `performance.now()`). */
  readonly notBefore: number;
  /** Called for each chunk, and with 0 bytes at the end. Returns a function to call when the chunk is forwarded. */
  readonly passed: (bytes: number) => () => void;
}

/** Forwards what `from` sends, at the time when it would have arrived. */
function hold({ from, to, kind, notBefore, passed }: Direction): void {
  const waiting: { readonly data: Buffer | undefined; readonly at: number; readonly heard: () => void }[] = [];
  const pace = new Pace(kind);
  let timer: NodeJS.Timeout | undefined;
  const wake = (next: { readonly at: number } | undefined): void => {
    if (next !== undefined) timer ??= setTimeout(handOn, Math.max(1, Math.round(next.at - performance.now())));
  };
  const handOn = (): void => {
    timer = undefined;
    // A socket on which connect() has not been called yet accepts no data.
    if (to.pending && !to.connecting) return wake({ at: performance.now() + 1 });
    const due = performance.now() + 0.5;
    for (let next = waiting[0]; next !== undefined && next.at <= due; next = waiting[0]) {
      waiting.shift();
      next.heard();
      if (next.data === undefined) to.end();
      else to.write(next.data);
    }
    if (to.writableLength > mostWaitingBytes && !from.isPaused()) {
      from.pause();
      to.once("drain", () => from.resume());
    }
    wake(waiting[0]);
  };
  const take = (data: Buffer | undefined): void => {
    const at = pace.arrival(data?.length ?? 0, Math.max(performance.now(), notBefore));
    waiting.push({ data, at, heard: passed(data?.length ?? 0) });
    if (at <= performance.now()) handOn();
    else wake(waiting[0]);
  };
  from.on("data", take);
  from.on("end", () => take(undefined));
  from.on("error", () => {
    passed(0);
    to.destroy();
  });
}

/**
 * Over a real cable connect() takes one round trip, but here it takes no time. So the proxy connects to the host one
 * and a half round trips later, when the last packet of the handshake would have arrived, and anything the client sends
 * in the meantime counts as sent after one round trip. Everything sent later arrives when it would over a real cable.
 */
function lay(address: string, port: number, kind: CableKind): Promise<Server> {
  const { rttMs } = kind;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    counts.connections += 1;
    const host = new Socket({ allowHalfOpen: true });
    host.setNoDelay(true);
    const here = trips.get(server) ?? new Trips();
    trips.set(server, here);
    const talk = here.connect();
    const out = (bytes: number): (() => void) => {
      counts.bytesOut += bytes;
      const at = talk.clientSays();
      return () => talk.hostHears(at);
    };
    const back = (bytes: number): (() => void) => {
      counts.bytesIn += bytes;
      const at = talk.hostSays();
      // A side that has closed its connection no longer receives data.
      return () => client.readableEnded || client.destroyed || talk.clientHears(at);
    };
    hold({ from: client, to: host, kind, notBefore: performance.now() + rttMs, passed: out });
    hold({ from: host, to: client, kind, notBefore: 0, passed: back });
    const open = (): void => void host.connect({ host: address, port });
    if (rttMs === 0) open();
    else setTimeout(open, rttMs * 1.5);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1", backlog: 511 }, () => resolve(server));
  });
}

process.on("message", (order: CableOrder) => {
  void answer(order).then((said) => process.send?.(said));
});
process.on("disconnect", () => process.exit(0));

async function answer(order: CableOrder): Promise<CableAnswer> {
  if ("lay" in order) {
    const servers = await Promise.all(order.lay.map(({ address, port }) => lay(address, port, order.kind)));
    return { ports: servers.map((server) => (server.address() as { port: number }).port) };
  }
  const passed = { ...counts, roundTrips: Math.max(0, ...[...trips.values()].map(({ waited }) => waited)) };
  trips.clear();
  counts = { connections: 0, bytesOut: 0, bytesIn: 0 };
  return { passed };
}
