import type { Duplex } from "node:stream";
import type { Client, ClientChannel, PseudoTtyOptions } from "ssh2";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { type Channel, ChannelRefused, type Link, type LinkStats } from "../../core/host/transport.ts";
import { sshChannel } from "./channel.ts";
import type { LinkState } from "./channel.ts";
import type { Login } from "./handshake.ts";
import type { HeadStart, Patches } from "./patches/index.ts";
import type { Wire } from "./wire.ts";
import { after } from "../../core/world.ts";

/** Called once, with an error or with a result. */
type Done<T> = (...outcome: [error: Error] | [error: undefined, result: T]) => void;
type StreamCallback = (error: Error | undefined, stream: ClientChannel) => void;

/** Milliseconds that a graceful close may take. */
const closeGraceMs = 1000;

/** A terminal that neither changes nor echoes bytes (RFC 4254, 8), so lines pass through it as through a pipe. */
const rawPty: PseudoTtyOptions & { term: string } = {
  term: "dumb",
  modes: {
    ECHO: 0,
    ECHOE: 0,
    ECHOK: 0,
    ECHONL: 0,
    ECHOCTL: 0,
    ICANON: 0,
    ISIG: 0,
    IEXTEN: 0,
    ICRNL: 0,
    INLCR: 0,
    IGNCR: 0,
    IXON: 0,
    IXANY: 0,
    IXOFF: 0,
    OPOST: 0,
    ONLCR: 0,
  },
};

/** A {@link Link} over an authenticated ssh2 client. */
export class SshLink implements Link, LinkState {
  readonly host: string;
  readonly closed: Promise<Error | undefined>;
  readonly changedKey: FurrowError | undefined;
  lost: FurrowError | undefined;
  readonly #client: Client;
  readonly #wire: Wire;
  readonly #lostListeners = new Set<() => void>();
  #channels = 0;
  #closing = false;
  #gone = false;
  #reason: Error | undefined;
  readonly #ready: Promise<void>;
  #headStart: HeadStart | undefined;
  readonly #patches: Patches | undefined;

  /** `host` is the host's name in the inventory. */
  constructor(host: string, { client, ready, headStart, changedKey, patches }: Login, wire: Wire) {
    this.host = host;
    this.changedKey = changedKey;
    this.#client = client;
    this.#wire = wire;
    this.#ready = ready;
    this.#headStart = headStart;
    this.#patches = patches;
    ready.catch((error: unknown) => (this.#reason = error as Error));
    client.on("error", (error) => {
      this.#reason ??= error;
    });
    // A peer that has disconnected no longer reads, so waiting for unsent data to be sent could take forever.
    client.on("end", () => wire.stream.destroy());
    this.closed = new Promise((resolve) => {
      client.once("close", () => {
        this.#gone = true;
        if (!this.#closing) {
          this.lost = lostLink(host, this.#reason, wire.lost?.());
          for (const listener of this.#lostListeners) listener();
        }
        this.#lostListeners.clear();
        resolve(this.lost);
      });
    });
  }

  async exec(command: string): Promise<Channel> {
    const headStart = this.#headStart;
    this.#headStart = undefined;
    if (headStart?.isOpen === true && !this.#gone && !this.#closing) {
      this.#channels += 1;
      try {
        const stream = headStart.exec(command, (error) => {
          this.#reason = refusedChannel(this.host, error);
          this.#wire.stream.destroy();
        });
        return sshChannel(stream, this);
      } catch (error) {
        throw await this.#hungUp(error as Error);
      }
    }
    return this.#open((callback) => this.#client.exec(command, callback));
  }

  async execPty(command: string): Promise<Channel> {
    this.#headStart = undefined;
    const channel = await this.#open((callback) => this.#client.exec(command, { pty: rawPty }, callback));
    return { ...channel, onTerminal: true };
  }

  /** Opens a TCP connection from this jump host to the host behind it. Throws E_UNREACHABLE. */
  forward(address: string, port: number): Promise<Duplex> {
    this.#headStart = undefined;
    return this.#stream(
      (done) =>
        this.#client.forwardOut("127.0.0.1", 0, address, port, (error, stream) =>
          error === undefined ? done(error, stream) : done(error),
        ),
      (error) => refusedForward(this.host, `${address}:${port}`, error),
    );
  }

  onLost(listener: () => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  stats(): LinkStats {
    return { bytesSent: this.#wire.sent(), bytesReceived: this.#wire.received(), channels: this.#channels };
  }

  /**
   * True for servers that still deliver the data they have received when the TCP connection ends. OpenSSH's sshd passes
   * this data on to its processes and then ends, while SSH_MSG_DISCONNECT (RFC 4253, 11.1) makes it drop data not yet
   * passed on. False if the server's software is unknown, or if a program relays the connection.
   */
  get deliversLastWords(): boolean {
    if (this.#wire.isRelayed === true) return false;
    return this.#patches?.softwareOf(this.#client).startsWith("OpenSSH_") === true;
  }

  outputIsComplete(stream: ClientChannel): boolean {
    return this.#patches?.outputIsComplete(stream) === true;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#gone) return;
    const { stream } = this.#wire;
    // Do not wait for an answer to the closing message: a distant host would only delay the end of the run.
    stream.once("finish", () => stream.destroy());
    if (this.deliversLastWords) stream.end();
    else this.#client.end();
    const timer = after(closeGraceMs, () => stream.destroy());
    await this.closed;
    timer.cancel();
  }

  #open(request: (callback: StreamCallback) => void): Promise<Channel> {
    return this.#stream(
      (done) =>
        request((error, stream) => {
          if (error !== undefined) {
            done(error);
            return;
          }
          this.#channels += 1;
          // This must happen synchronously, because the exit status of a quick process may be in the same packet as the
          // answer to its start.
          done(undefined, sshChannel(stream, this));
        }),
      (error) => refusedChannel(this.host, error),
    );
  }

  /** The error for a host that has hung up: ssh2 may throw before it reports the end of the connection. */
  async #hungUp(error: Error): Promise<Error> {
    if (this.#wire.stream.writable) return error;
    this.#reason ??= error;
    this.#wire.stream.destroy();
    await this.closed;
    return this.lost ?? lostLink(this.host, error);
  }

  async #stream<T>(request: (done: Done<T>) => void, refused: (error: Error) => FurrowError): Promise<T> {
    // The reason for a refused login is reported below.
    await this.#ready.catch(() => this.closed);
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void =>
        reject(this.#gone ? (this.lost ?? lostLink(this.host, undefined)) : refused(error));
      if (this.#gone || this.#closing) {
        refuse(new Error("the connection is closed"));
        return;
      }
      try {
        request((...[error, result]) => (error === undefined ? resolve(result) : refuse(error)));
      } catch (error) {
        refuse(error as Error);
      }
    });
  }
}

/** The error for a lost connection. `wire` is the error with which the wire itself ended, if it reports one. */
function lostLink(host: string, reason: Error | undefined, wire?: FurrowError): FurrowError {
  if (isFurrowError(reason)) return reason;
  const timedOut = reason !== undefined && "level" in reason && reason.level === "client-timeout";
  if (wire !== undefined && !timedOut) return wire;
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection to ${host} was lost`,
    where: { host },
    current: timedOut ? "the host does not answer keepalives" : (reason?.message ?? "the host closed the connection"),
    hint: "Check the network and whether the host is still up, then rerun",
    ...(reason === undefined ? {} : { cause: reason }),
  });
}

function refusedChannel(host: string, error: Error): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `${host} refuses another channel on its connection`,
    where: { host },
    current: error.message,
    expected: "a session; sshd allows MaxSessions of them (10 by default)",
    hint: "Check MaxSessions, ForceCommand and PermitTTY in the host's sshd_config",
    cause: new ChannelRefused(error.message, { cause: error }),
  });
}

/** True if the jump host's configuration refuses the forwarding: reason 1 of RFC 4254, 5.1. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === 1;
}

function refusedForward(host: string, target: string, error: Error): FurrowError {
  const forbidden = isForbidden(error);
  return new FurrowError("E_UNREACHABLE", {
    what: `the jump host ${host} cannot connect to ${target}`,
    current: error.message,
    hint: forbidden
      ? "Allow forwarding in the jump host's sshd_config (AllowTcpForwarding, PermitOpen)"
      : `Check that ${target} can be reached from the jump host`,
    cause: error,
  });
}
