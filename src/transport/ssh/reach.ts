import { AbortError } from "p-retry";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { after } from "../../core/world.ts";
import { isForbidden } from "./link.ts";
import type { OpenWire, SshTransport } from "./ssh.ts";
import { MissingInstance } from "./tunnel/failure.ts";

/** Whether a host's SSH port could be reached; if not, why. */
export type Reached =
  | { readonly open: true }
  | { readonly open: false; readonly said: string; readonly hint: string; readonly final: boolean };

/** Opens a connection to a host's SSH port once, without logging in, and closes it. */
export function reachPort(
  transport: SshTransport,
  address: Address,
  seconds: number,
  signal: AbortSignal,
): Promise<Reached> {
  return attempt(address, seconds, signal, async (either) => {
    const { wire, lease } = await transport.openWire(address, either);
    wire.stream.on("error", () => undefined);
    wire.stream.destroy();
    lease?.release();
  });
}

/** Logs in once to the last jump host before a host, and logs out. */
export function reachJump(
  transport: SshTransport,
  address: Address,
  seconds: number,
  signal: AbortSignal,
): Promise<Reached> {
  return attempt(address, seconds, signal, async (either) => {
    const last = address.jump.at(-1);
    if (last === undefined) return;
    const link = await transport.connect({ ...last, jump: address.jump.slice(0, -1) }, either);
    await link.close();
  });
}

/**
 * Opens a byte stream to an address, through its jump hosts. The caller releases the lease once the stream has ended.
 * Throws FurrowError or the signal's reason.
 */
export async function openWay(transport: SshTransport, address: Address, signal: AbortSignal): Promise<OpenWire> {
  try {
    return await transport.openWire(address, signal);
  } catch (error) {
    throw error instanceof AbortError ? error.originalError : error;
  }
}

/** Performs one attempt with a time limit. Throws `signal.reason`, and errors not caused by the connection. */
async function attempt(
  address: Address,
  seconds: number,
  signal: AbortSignal,
  open: (either: AbortSignal) => Promise<void>,
): Promise<Reached> {
  const limit = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  const timer = after(seconds * 1000, () => limit.abort(tooLate(address, seconds)), { idle: true });
  try {
    await orAborted(open(either), either);
    return { open: true };
  } catch (error) {
    signal.throwIfAborted();
    const failure = error instanceof AbortError ? error.originalError : error;
    if (!isFurrowError(failure)) throw error;
    return { open: false, ...told(failure), final: isFinal(error, failure, address) };
  } finally {
    timer.cancel();
  }
}

function told({ failure: { what, current, hint } }: FurrowError): { readonly said: string; readonly hint: string } {
  return {
    said: current === undefined ? what : `${what}: ${current}`,
    hint: hint ?? "Try to log in with ssh, which may print more details",
  };
}

/** True for a failure that does not go away while a new machine is booting. */
function isFinal(error: unknown, { code, failure }: FurrowError, { tunnel }: Address): boolean {
  if (code !== "E_UNREACHABLE") return true;
  if (isForbidden(failure.cause)) return true;
  return tunnel !== undefined && error instanceof AbortError && !(error instanceof MissingInstance);
}

function tooLate(address: Address, seconds: number): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `no answer from port ${address.port} within ${seconds} s`,
    where: { host: address.name },
    hint: "Check that the machine is running, and that no firewall drops the packets",
  });
}

/** Settles with the promise, or as soon as the signal is aborted. */
function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort))
      .catch(() => undefined);
  });
}
