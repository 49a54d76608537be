import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import type { SshLink } from "./link.ts";

interface Shared {
  readonly link: Promise<SshLink>;
  readonly abort: AbortController;
  users: number;
}

/** A lease on the link to a jump host. */
export interface Lease {
  readonly link: SshLink;
  /** Releases the link. The last lease to be released closes the link. */
  release(): void;
}

/** Links to jump hosts. All hosts behind a jump host share one connection. */
export class JumpPool {
  readonly #shared = new Map<string, Shared>();
  readonly #connect: (address: Address, signal: AbortSignal) => Promise<SshLink>;

  constructor(connect: (address: Address, signal: AbortSignal) => Promise<SshLink>) {
    this.#connect = connect;
  }

  /** Leases the link to a jump host, and opens it if needed. Throws the errors of connecting, and `signal.reason`. */
  async lease(jump: Address, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const id = identityOf(jump);
    const shared = this.#shared.get(id) ?? this.#open(id, jump);
    shared.users += 1;
    try {
      const link = await orAborted(shared.link, signal);
      let released = false;
      return {
        link,
        release: () => {
          if (!released) this.#giveBack(id, shared);
          released = true;
        },
      };
    } catch (error) {
      this.#giveBack(id, shared);
      throw error;
    }
  }

  #open(id: string, jump: Address): Shared {
    const abort = new AbortController();
    const link = this.#connect(jump, abort.signal);
    const shared: Shared = { link, abort, users: 0 };
    this.#shared.set(id, shared);
    const forget = (): void => {
      if (this.#shared.get(id) === shared) this.#shared.delete(id);
    };
    link.then((open) => open.closed.then(forget), forget).catch(forget);
    return shared;
  }

  #giveBack(id: string, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (this.#shared.get(id) === shared) this.#shared.delete(id);
    shared.abort.abort();
    shared.link.then((link) => link.close()).catch(() => undefined);
  }
}

/** The identity of a jump host: its path, user and credentials. Jump hosts with the same identity share a link. */
function identityOf({
  address,
  port,
  user,
  identityFiles,
  identitiesOnly,
  agent,
  password,
  jump,
  ...rest
}: Address): string {
  return JSON.stringify([
    [address, port, user, identityFiles, identitiesOnly, agent, password?.name, rest.tunnel],
    [rest.hostKeyPolicy, rest.knownHostsFiles, rest.newHostKeysFile, rest.revokedKeysFile],
    [rest.hostKeys, rest.hostKeyAlias, rest.passphrase?.name],
    jump.map(identityOf),
  ]);
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort))
      .catch(() => undefined);
  });
}

/** Turns the jump host's failure into a failure of the host behind it. */
export function behindJump(error: unknown, jump: Address, target: Address): unknown {
  if (!isFurrowError(error)) return error;
  return new FurrowError(error.code, {
    ...error.failure,
    what: `the jump host ${jump.name}: ${error.failure.what}`,
    where: { ...error.failure.where, host: target.name },
  });
}
