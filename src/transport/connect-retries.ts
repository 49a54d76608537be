import pRetry from "p-retry";
import { FurrowError, isFurrowError } from "../core/errors.ts";
import type { Address, AttemptFailed } from "../core/host/transport.ts";
import { Deadline } from "./ssh/deadline.ts";

/** Makes one attempt to connect, and stops when `signal` is aborted. */
export type Attempt<T> = (deadline: Deadline, signal: AbortSignal) => Promise<T>;

/**
 * Connects, and retries after E_UNREACHABLE until the address's connect timeout expires; calls `failed` before each
 * retry. To prevent a retry, an attempt wraps its error in p-retry's AbortError. Throws the attempt's error,
 * E_UNREACHABLE or E_INTERRUPTED.
 */
export async function untilConnected<T>(
  address: Address,
  signal: AbortSignal,
  attempt: Attempt<T>,
  failed: AttemptFailed = () => {},
): Promise<T> {
  const deadline = new Deadline(address.connectTimeoutSeconds * 1000);
  const either = AbortSignal.any([signal, deadline.signal]);
  let last: FurrowError | undefined;
  let attempts = 0;
  try {
    return await pRetry(
      (number) => {
        attempts = number;
        return attempt(deadline, either);
      },
      {
        retries: 5,
        minTimeout: 250,
        randomize: true,
        signal: either,
        onFailedAttempt: ({ error, retriesLeft }) => {
          if (!isFurrowError(error)) return;
          last = error;
          if (retriesLeft > 0 && error.code === "E_UNREACHABLE") failed(error.at({ host: address.name }));
        },
        shouldRetry: ({ error }) => isFurrowError(error) && error.code === "E_UNREACHABLE",
      },
    );
  } catch (error) {
    if (signal.aborted) throw interrupted(address, signal);
    if (deadline.signal.aborted) throw tooLate(address, attempts, last);
    throw error;
  }
}

function interrupted(address: Address, signal: AbortSignal): FurrowError {
  if (isFurrowError(signal.reason)) return signal.reason;
  return new FurrowError("E_INTERRUPTED", {
    what: `connecting to ${address.address} was interrupted`,
    where: { host: address.name },
    cause: signal.reason,
  });
}

function tooLate(address: Address, attempts: number, last: FurrowError | undefined): FurrowError {
  // The text leaves out the number of attempts: hosts with the same failure are reported together, and the number
  // varies from host to host.
  const tries = attempts > 1 ? " despite retries" : "";
  return new FurrowError("E_UNREACHABLE", {
    what: `no connection to ${address.address} port ${address.port} within ${address.connectTimeoutSeconds} s${tries}`,
    where: { host: address.name },
    current: last === undefined ? "no answer" : `${last.failure.what}: ${last.failure.current ?? ""}`,
    hint:
      last?.failure.hint ?? "Check that the host is up and that no firewall drops the packets, or raise ConnectTimeout",
    ...(last === undefined ? {} : { cause: last }),
  });
}
