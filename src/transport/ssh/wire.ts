import type { Duplex } from "node:stream";
import { AbortError } from "p-retry";
import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { outside } from "../outside.ts";

/** A byte stream to a host and how much has gone through it. */
export interface Wire {
  readonly stream: Duplex;
  sent(): number;
  received(): number;
}

/** How a stream of a wire is written to. */
export type Write = (data: Buffer, ...rest: never[]) => boolean;

/** Opens a TCP connection. Throws E_UNREACHABLE, for a name that does not exist wrapped so that it is not tried again. */
export function openTcp(address: Address, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Small packets follow each other: with Nagle's algorithm each would wait for the acknowledgement of the last.
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
      // It may break while it waits for its handshake; who uses it then looks.
      socket.on("error", () => undefined);
      resolve({ stream: socket, sent: () => socket.bytesWritten, received: () => socket.bytesRead });
    });
  });
}

/**
 * Hands to the kernel at once what is written in one turn: ssh2 writes the length, the body and the check of each packet
 * by themselves, and without Nagle's algorithm each would be a system call and a segment of its own.
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
  EHOSTUNREACH: "Check that the host is up and the route to its network",
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
    hint: hints[error.code ?? ""] ?? "Check the host's address, its port and the network between",
    cause: error,
  });
}
