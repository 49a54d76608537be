import type { EventEmitter } from "node:events";
import { AbortError } from "p-retry";
import type { Client, ConnectConfig } from "ssh2";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { algorithms } from "./algorithms.ts";
import type { Authentication } from "./login/auth.ts";
import type { HeadStart, Patches } from "./patches/index.ts";
import type { HostKeyJudge } from "./host-keys/host-key-policy.ts";
import { loadSsh2 } from "./ssh2.ts";
import type { Wire } from "./wire.ts";

/**
 * An error as ssh2 emits it. `level` names the layer in which the error occurred; a number in `code` is the reason the
 * host gave for disconnecting.
 */
type Ssh2Error = Error & { readonly level?: string };

/** A client that is logging in. */
export interface Login {
  readonly client: Client;
  /** Resolves when the host has accepted the login. Rejects as {@link handshake} does. */
  readonly ready: Promise<void>;
  /** Starts the first process with fewer round trips. Undefined if ssh2 runs unpatched. */
  readonly headStart: HeadStart | undefined;
  /** The error about the host's key if it has changed and was accepted nevertheless. */
  readonly changedKey: FurrowError | undefined;
  /** Access to the client's internals. Undefined if ssh2 runs unpatched. */
  readonly patches: Patches | undefined;
}

/**
 * Turns a new wire into an authenticated client: key exchange, host key, authentication, in this order. With `early` it
 * resolves once the login request that succeeded last time is sent: by then the host has proved that it owns its key.
 * Throws E_HOST_KEY, E_AUTH or E_UNREACHABLE; if another attempt cannot help, an E_UNREACHABLE is wrapped in an
 * AbortError.
 */
export async function handshake(
  address: Address,
  wire: Wire,
  judge: HostKeyJudge,
  auth: Authentication,
  early: boolean,
  signal: AbortSignal,
): Promise<Login> {
  const { Client: Ssh2Client, patches } = await loadSsh2();
  const client = new Ssh2Client();
  let refusal: Error | undefined;
  let banner: string | undefined;
  let authenticating = false;
  let headStart: HeadStart | undefined;
  let attempts = 0;
  return new Promise((resolve, reject) => {
    const ready = Promise.withResolvers<void>();
    // A caller that got an early result learns of a failure through `ready`.
    ready.promise.catch(reject);
    const settle = (): void => {
      signal.removeEventListener("abort", abort);
      for (const [event, listener] of listeners) (client as EventEmitter).off(event, listener);
    };
    const abort = (): void => fail(signal.reason as Error);
    const fail = (error: Error): void => {
      settle();
      // Ignore errors of a socket that is being closed.
      client.on("error", () => undefined);
      ready.reject(error);
      wire.stream.destroy();
    };
    const refused = (reason: string): FurrowError => auth.refused([banner?.trim(), reason].filter(Boolean).join("; "));
    const listeners: [string, Parameters<EventEmitter["on"]>[1]][] = [
      ["banner", (text: string) => (banner = text)],
      ["handshake", () => (authenticating = true)],
      ["change password", () => fail(refused("the password has expired and must be changed first"))],
      [
        "error",
        (error: Ssh2Error) => {
          // If an agent fails or a key cannot sign, ssh2 tries the next candidate by itself.
          if (error.level === "agent" || /^Error (while )?signing/.test(error.message)) return;
          if (refusal !== undefined) fail(refusal);
          else if (error.level === "client-authentication") fail(refused(""));
          else if (authenticating && endsAuthentication(error, auth)) fail(refused(error.message));
          else if (error.level === "handshake") fail(new AbortError(noAgreement(address, error)));
          else fail(wire.lost?.() ?? broken(address, error));
        },
      ],
      [
        "close",
        () =>
          fail(
            authenticating && auth.sentPassword
              ? refused("the host closed the connection")
              : (wire.lost?.() ?? broken(address, undefined)),
          ),
      ],
      [
        "ready",
        () => {
          settle();
          headStart?.letIn(attempts > 1);
          ready.resolve();
          resolve({ client, ready: ready.promise, headStart, changedKey: judge.changed, patches });
        },
      ],
    ];
    signal.addEventListener("abort", abort, { once: true });
    for (const [event, listener] of listeners) (client as EventEmitter).on(event, listener);
    const verify = (key: Buffer, answer: (accepted: boolean) => void): void => {
      judge.accept(key).then(
        () => answer(true),
        (error: unknown) => {
          refusal = isFurrowError(error) ? error : (error as Error);
          answer(false);
        },
      );
    };
    client.connect({
      ...config(address, judge, wire),
      hostVerifier: verify,
      authHandler: (allowed, partial, next) => {
        attempts += 1;
        auth.withholdPasswords(judge.changed);
        next(auth.next(allowed, partial) as Parameters<typeof next>[0]);
        if (early && auth.isAsLastTime && headStart?.isOpen === true)
          resolve({ client, ready: ready.promise, headStart, changedKey: judge.changed, patches });
      },
    });
    headStart = patches?.apply(client, wire.stream);
  });
}

function config(address: Address, judge: HostKeyJudge, wire: Wire): ConnectConfig {
  return {
    sock: wire.stream,
    username: address.user,
    algorithms: { ...algorithms, serverHostKey: judge.algorithms },
    keepaliveInterval: address.keepaliveSeconds * 1000,
    // 0 means "never give up" to ssh, and "at once" to ssh2.
    keepaliveCountMax: address.keepaliveCount === 0 ? Number.MAX_SAFE_INTEGER : (address.keepaliveCount ?? 3),
    // The caller has one deadline for all attempts together.
    readyTimeout: 0,
  };
}

/**
 * A connection that is lost after a password was sent must not be retried: each retry would count as a failed login.
 */
function endsAuthentication(error: Ssh2Error, auth: Authentication): boolean {
  return auth.sentPassword || /authentication failures/i.test(error.message);
}

function broken(address: Address, error: Ssh2Error | undefined): FurrowError {
  const beforeBanner = error?.level === "protocol";
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection to ${address.address} port ${address.port} was lost before it was ready`,
    where: { host: address.name },
    current: error?.message ?? "the host closed the connection",
    hint: beforeBanner
      ? "Check that sshd listens on this port, and check its MaxStartups if many connections are opened at once"
      : "Check the network to the host and sshd's log on it",
    ...(error === undefined ? {} : { cause: error }),
  });
}

function noAgreement(address: Address, error: Ssh2Error): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `${address.address} and furrow have no SSH algorithm in common`,
    where: { host: address.name },
    current: error.message,
    expected: "OpenSSH 6.5 or newer, or a server with the same algorithms",
    hint: "Update the host's SSH server, or enable a modern key exchange, cipher and host key on it",
    cause: error,
  });
}
