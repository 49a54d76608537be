import type { Duplex } from "node:stream";
import { AbortError } from "p-retry";
import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { outside } from "../outside.ts";

/** A byte stream to a host, with a count of its bytes. */
export interface Wire {
  readonly stream: Duplex;
  sent(): number;
  received(): number;
  /** Why the stream ended, if more is known than the stream's own error says. */
  lost?(): FurrowError | undefined;
  /**
   * True if a program passes the bytes on. When the stream ends, the program may not have passed on the last bytes yet.
   */
  readonly isRelayed?: boolean;
}

/** The `write` of a wire's stream. */
export type Write = (data: Buffer, ...rest: never[]) => boolean;

/**
 * Opens a TCP connection. Throws E_UNREACHABLE; if the host name does not exist, the error is wrapped in an AbortError,
 * so it is not retried.
 */
export function openTcp(address: Address, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // With Nagle's algorithm, each of several small packets would wait for the acknowledgement of the previous one.
    const socket = outside.connect({
      host: address.address,
      port: address.port,
      noDelay: true,
      autoSelectFamily: true,
    });
    const abort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    const settle = (): void => signal.removeEventListener("abort", abort);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      settle();
      const failure = noConnection(address, error);
      reject(error.code === "ENOTFOUND" ? new AbortError(failure) : failure);
    });
    socket.once("connect", () => {
      settle();
      socket.removeAllListeners("error");
      gatherWrites(socket);
      // The socket may break while it is waiting for its handshake; the caller checks that afterwards.
      socket.on("error", () => undefined);
      resolve({ stream: socket, sent: () => socket.bytesWritten, received: () => socket.bytesRead });
    });
  });
}

/**
 * Gathers all data written in one turn of the event loop into one write. ssh2 writes the length, the body and the
 * checksum of each packet separately, and without Nagle's algorithm each part would need its own system call and
 * segment.
 */
export function gatherWrites(stream: Duplex): void {
  const write = stream.write.bind(stream) as Write;
  let gathering = false;
  stream.write = (data: Buffer, ...rest: never[]) => {
    if (!gathering) {
      gathering = true;
      stream.cork();
      process.nextTick(() => {
        gathering = false;
        stream.uncork();
      });
    }
    return write(data, ...rest);
  };
}

const hints: Record<string, string> = {
  ENOTFOUND: "Check the host's address in the inventory, or set HostName in ssh_config",
  EAI_AGAIN: "Check the controller's name server",
  ECONNREFUSED: "Check that sshd runs on the host and listens on this port",
  ETIMEDOUT: "Check that the host is up and that no firewall drops the packets",
  EHOSTUNREACH: "Check that the host is up, and check the route to its network",
  ENETUNREACH: "Check the route to the host's network",
};

function noConnection(address: Address, error: NodeJS.ErrnoException): FurrowError {
  const unknownName = error.code === "ENOTFOUND" || error.code === "EAI_AGAIN";
  return new FurrowError("E_UNREACHABLE", {
    what: unknownName
      ? `the name ${address.address} cannot be resolved`
      : `no connection to ${address.address} port ${address.port}`,
    where: { host: address.name },
    current: error.code ?? error.message,
    hint: hints[error.code ?? ""] ?? "Check the host's address, its port and the network in between",
    cause: error,
  });
}
