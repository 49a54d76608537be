import type { Duplex } from "node:stream";

/** Opens TCP connections from hosts in the inventory. */
export interface HostTunnels {
  /** Throws FurrowError, such as E_UNREACHABLE or E_AUTH, or the signal's reason once the signal is aborted. */
  open(host: string, target: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<Duplex>;
  /** Closes all connections. */
  close(): void;
}

let tunnels: HostTunnels | undefined;

/**
 * Sets the object that opens connections from hosts, for this whole process. The command line provides it, because it
 * knows the inventory.
 */
export function provideTunnels(given: HostTunnels): void {
  tunnels?.close();
  tunnels = given;
}

/** Closes the connections that a run has opened from hosts; an open one would keep furrow alive. */
export function closeTunnels(): void {
  tunnels?.close();
}

/** The object that opens connections from hosts; undefined without an inventory. */
export function hostTunnels(): HostTunnels | undefined {
  return tunnels;
}
