import { AbortError } from "p-retry";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { reveal } from "../../core/secrets/secret.ts";
import type { Address, AttemptFailed, Transport } from "../../core/host/transport.ts";
import { knownHostsAlias } from "../../core/host/tunnel.ts";
import { after } from "../../core/world.ts";
import { untilConnected } from "../connect-retries.ts";
import { type Sending, TriedPasswords } from "../tried-passwords.ts";
import { type Authentication, authentication } from "./login/auth.ts";
import { ConnectPace, type Leave } from "./connect-pace.ts";
import type { Deadline } from "./deadline.ts";
import { Gate } from "./gate.ts";
import { handshake } from "./handshake.ts";
import { hostKeyJudge } from "./host-keys/host-key-policy.ts";
import { JumpPool, behindJump } from "./jump-pool.ts";
import type { Lease } from "./jump-pool.ts";
import { SshLink, isForbidden } from "./link.ts";
import { openTunnel } from "./tunnel/wire.ts";
import { openTcp } from "./wire.ts";
import { openThrough } from "./jump-wire.ts";
import type { Wire } from "./wire.ts";

/** A wire to a host, and the lease on the jump host's link that carries the wire, if any. */
export interface OpenWire {
  readonly wire: Wire;
  readonly lease: Lease | undefined;
}

/** The key or method that succeeded last time, by `user@host:port`. This key or method is offered first next time. */
export interface Logins {
  get(account: string): string | undefined;
  set(account: string, name: string): unknown;
  delete(account: string): unknown;
}

/** Milliseconds after which a host that has not accepted the TCP connection gives up its turn. */
const answerMs = 1500;

/**
 * Number of tunnels opened at the same time. Each needs up to a second of CPU time on the controller, because the
 * programs that open them are written in Python.
 */
const tunnelsAtOnce = 16;

/** SSH over ssh2. Each instance has its own pool of jump hosts and its own memory of successful logins. */
export class SshTransport implements Transport {
  readonly #pool = new JumpPool((address, signal) => this.connect(address, signal));
  readonly #pace = new ConnectPace();
  readonly #tunnels = new Gate(tunnelsAtOnce);
  readonly #tried = new TriedPasswords();
  #logins: Logins = new Map<string, string>();

  /** Stores successful logins in `logins` from now on, instead of only in this process. */
  rememberIn(logins: Logins): void {
    this.#logins = logins;
  }

  /**
   * Connects. Retries if the network fails, but never after a refusal by the host. A refused password is not sent to
   * the host again: the same error is thrown instead. Throws E_UNREACHABLE, E_AUTH, E_HOST_KEY, E_SECRET (a key's
   * passphrase), E_FILE (known_hosts), E_INTERRUPTED.
   */
  async connect(address: Address, signal: AbortSignal, failed?: AttemptFailed): Promise<SshLink> {
    if (address.proxyCommand !== undefined) throw needsOpenssh(address, address.proxyCommand);
    return untilConnected(address, signal, (deadline, either) => this.#attempt(address, deadline, either), failed);
  }

  async #attempt(address: Address, deadline: Deadline, signal: AbortSignal): Promise<SshLink> {
    const { password } = address;
    if (password === undefined) return this.#login(address, undefined, deadline, signal);
    const sending = await deadline.exempt(this.#tried.send(`${accountOf(address)} ${reveal(password)}`));
    try {
      return await this.#login(address, sending, deadline, signal);
    } catch (error) {
      sending.untold();
      throw error;
    }
  }

  async #login(
    address: Address,
    sending: Sending | undefined,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<SshLink> {
    const account = accountOf(address);
    // The time spent on reading and computing here must not count against the host's time limit.
    const [judge, auth] = await deadline.exempt(
      Promise.all([hostKeyJudge(address), authentication(address, this.#logins.get(account))]),
    );
    const { wire, lease, place } = await this.#inTurn(address, deadline, signal);
    let leave = place;
    try {
      leave ??= await deadline.exempt(this.#pace.enter(signal));
      if (wire.stream.destroyed) throw brokenWhileWaiting(address, wire);
      const login = await handshake(address, wire, judge, auth, this.#logins.get(account) !== undefined, signal);
      login.ready.then(
        () => {
          if (auth.current !== undefined) this.#logins.set(account, auth.current);
          if (auth.sentPassword) sending?.accepted();
          else sending?.untold();
        },
        (error: unknown) => {
          // Next time, wait for every answer, so that an error appears where it happens.
          this.#logins.delete(account);
          noteRefusal(error, auth, sending);
        },
      );
      const { ready } = login;
      const left = leave;
      ready
        .then(
          () => left(true),
          () => left(false),
        )
        .finally(() => deadline.stop())
        .catch(() => undefined);
      const link = new SshLink(address.name, login, wire);
      if (lease !== undefined) link.closed.finally(() => lease.release()).catch(() => undefined);
      return link;
    } catch (error) {
      noteRefusal(error, auth, sending);
      leave?.(false);
      lease?.release();
      throw error;
    }
  }

  /**
   * Opens the byte stream to a host when it is the host's turn, and returns the place that the host holds until the
   * login. A host behind a jump host takes its turn only once its stream is open, because the jump host also needs a
   * turn. The same applies to a host that is slow to accept the TCP connection.
   */
  async #inTurn(
    address: Address,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<OpenWire & { readonly place: Leave | undefined }> {
    if (address.jump.length > 0) return { ...(await this.openWire(address, signal)), place: undefined };
    let place: Leave | undefined = await deadline.exempt(this.#pace.enter(signal));
    const leave = (): void => {
      place?.(false);
      place = undefined;
    };
    const timer = after(answerMs, leave, { idle: true });
    try {
      return { ...(await this.openWire(address, signal)), place };
    } catch (error) {
      leave();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Opens the byte stream to a host, through its jump hosts or its tunnel if it has any. */
  async openWire(address: Address, signal: AbortSignal): Promise<OpenWire> {
    const last = address.jump.at(-1);
    if (last === undefined && address.tunnel !== undefined) {
      const leave = await this.#tunnels.enter(signal);
      const wire = await openTunnel(address, address.tunnel, signal).finally(leave);
      return { wire, lease: undefined };
    }
    if (last === undefined) return { wire: await openTcp(address, signal), lease: undefined };
    const jump = { ...last, jump: address.jump.slice(0, -1) };
    const lease = await this.#pool.lease(jump, signal).catch((error: unknown) => {
      // The jump host's own connection was already retried.
      const failure = behindJump(error, jump, address);
      throw isFurrowError(failure) ? new AbortError(failure) : failure;
    });
    try {
      return { wire: await openThrough(lease.link, address), lease };
    } catch (error) {
      lease.release();
      if (!isFurrowError(error)) throw error;
      const failure = error.at({ host: address.name });
      throw isForbidden(error.failure.cause) ? new AbortError(failure) : failure;
    }
  }
}

/** The transport for addresses with `transport: "ssh"`. */
export const sshTransport: SshTransport = new SshTransport();

/** Private addresses are not unique, so a host behind a tunnel is identified by its instance. */
function accountOf({ user, address, port, tunnel }: Address): string {
  return `${user}@${tunnel === undefined ? address : knownHostsAlias(tunnel)}:${port}`;
}

/** Records whether the host has refused the password or has not reported a result. */
function noteRefusal(error: unknown, { sentPassword }: Authentication, sending: Sending | undefined): void {
  if (sentPassword && isFurrowError(error) && error.code === "E_AUTH") sending?.refused(error);
  else sending?.untold();
}

function needsOpenssh(address: Address, command: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `${address.name} is reached through a ProxyCommand in ssh_config, which the transport "ssh" does not run`,
    where: { host: address.name },
    current: command,
    hint: 'Set transport: "openssh" for the host, or set proxyJump to a jump host ("none" connects directly)',
  });
}

function brokenWhileWaiting(address: Address, { stream }: Wire): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection to ${address.address} port ${address.port} was lost before it was used`,
    where: { host: address.name },
    current: stream.errored?.message ?? "the host closed the connection",
    hint: "Check the network to the host and sshd's log on it",
  });
}
