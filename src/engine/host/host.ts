import { FurrowError, isFurrowError } from "../../core/errors.ts";
import {
  type FetchListener,
  type Frame,
  type FrameListener,
  type ItemResult,
  type Session,
  type SessionStats,
  ignoreAll,
} from "../../core/host/frame.ts";
import type { FetchStep } from "../../core/host/step.ts";
import { OneFrame } from "../../core/host/one-frame.ts";
import { now } from "../../core/world.ts";
import type { Knowledge } from "./knowledge.ts";
import type { HostMutex } from "./host-mutex.ts";

/** The counters before the first session. */
export const noStats: SessionStats = { frames: 0, bytesSent: 0, bytesReceived: 0, channels: 0 };

/** Opens a session on one host. Throws FurrowError E_UNREACHABLE, E_AUTH, E_HOST_KEY or E_BECOME. */
export type OpenSession = (signal: AbortSignal) => Promise<Session>;

/** The state that all sessions of one host share. */
export interface HostState {
  readonly knowledge: Knowledge;
  readonly mutex: HostMutex;
  /** All sessions of the host: they may use one connection. Default: one session. */
  readonly sessions?: Set<Host>;
}

/** Receives notices about a host's connections. */
export interface HostListener {
  connected(this: void, durationMs: number): void;
  /** Reports an event on the connection that the user should know about. */
  notice(this: void, text: string, connection?: "lost" | "back" | "held"): void;
}

/**
 * A host that tasks act on: its session (opened at first use, and again after a lost connection), everything known
 * about it, and the mutex for turns.
 */
export class Host {
  readonly name: string;
  /** The user that the session runs as, if known before the session is open. */
  readonly user: string | undefined;
  readonly knowledge: Knowledge;
  readonly mutex: HostMutex;
  readonly #sessions: Set<Host>;
  readonly #open: OpenSession;
  readonly #heard: HostListener;
  readonly #line: OneFrame;
  #session: Promise<Session> | undefined;
  #past: SessionStats = noStats;
  #answered = false;
  /** The time at which the session was opened; undefined once it has answered. */
  #openedAt: number | undefined;
  /** Set once another run has taken the host from this run. */
  #lost: FurrowError | undefined;
  #loginMs = 0;

  constructor(name: string, user: string | undefined, about: HostState, open: OpenSession, heard: HostListener) {
    this.name = name;
    this.user = user;
    this.knowledge = about.knowledge;
    this.mutex = about.mutex;
    this.#sessions = about.sessions ?? new Set();
    this.#sessions.add(this);
    this.#open = open;
    this.#heard = heard;
    this.#line = new OneFrame(name);
  }

  /**
   * Sends a frame. Rejects with E_UNREACHABLE if the connection is lost; the next frame connects again. Rejects with
   * E_BUG if another frame is open.
   */
  async frame(
    frame: Frame,
    signal: AbortSignal,
    listener: Partial<FrameListener> = {},
  ): Promise<readonly ItemResult[]> {
    const end = this.#line.begin(frame);
    try {
      return await this.#send(frame, signal, listener);
    } finally {
      end();
    }
  }

  async #send(frame: Frame, signal: AbortSignal, listener: Partial<FrameListener>): Promise<readonly ItemResult[]> {
    const session = await this.session(signal);
    try {
      const results = await session.frame(frame, { ...ignoreAll, ...this.#notices, ...listener }, signal);
      this.#answered = true;
      if (this.#openedAt !== undefined) this.#loginMs = now() - this.#openedAt;
      this.#openedAt = undefined;
      return results;
    } catch (error) {
      // If the session has received an answer, this run has held the host.
      if (isFurrowError(error) && error.code === "E_LOCKED" && this.#openedAt === undefined) this.#lost = error;
      // If the shell of the `become` user never started, nothing was learned. Keep what is known about the host,
      // because other sessions share it.
      await (isFurrowError(error) && error.code === "E_BECOME" ? this.close() : this.forgetAndClose());
      throw isFurrowError(error) ? error.at({ host: this.name }) : error;
    }
  }

  /**
   * Copies a file from the host to the controller. `progress` receives the number of bytes received so far and the
   * total.
   */
  async fetch(step: FetchStep, signal: AbortSignal, progress: FetchListener["progress"]): Promise<void> {
    const session = await this.session(signal);
    await session.fetch(step, signal, { ...this.#notices, ...(progress && { progress }) });
  }

  get #notices(): Required<Pick<FrameListener, "notice" | "lost">> {
    const { notice } = this.#heard;
    return { notice, lost: (text) => notice(text, "lost") };
  }

  /**
   * Sends an empty frame if no frame has been answered yet, because a session is treated as open before the shell of
   * the `become` user has started.
   */
  async ensureShell(signal: AbortSignal): Promise<void> {
    if (!this.#answered) await this.frame({ items: [] }, signal);
  }

  /**
   * Returns the open session; connects if no session is open. Rejects with E_LOCKED once another run has taken the
   * host, even after that run has ended: it may have changed what this run had done.
   */
  async session(signal: AbortSignal): Promise<Session> {
    if (this.#lost) throw this.#lost;
    if (this.#session === undefined) {
      const started = now();
      this.#openedAt = started;
      this.#session = this.#open(signal);
      this.#session.then(
        () => this.#heard.connected(now() - started),
        () => {},
      );
    }
    try {
      return await this.#session;
    } catch (error) {
      this.#session = undefined;
      throw isFurrowError(error) ? error.at({ host: this.name }) : error;
    }
  }

  /** Milliseconds from opening a session to its first answer. A session counts as open even before its login. */
  get loginMs(): number {
    return Math.max(...[...this.#sessions].map((host) => host.#loginMs));
  }

  /** Closes the session and forgets everything known, because the host may have rebooted before the next connection. */
  async forgetAndClose(): Promise<void> {
    await this.close();
    this.knowledge.forgetAll();
  }

  /**
   * Like `forgetAndClose`, for all sessions of this host: they may share one connection, which ends only once all of
   * them are closed.
   */
  async forgetAndCloseAll(): Promise<void> {
    await Promise.all([...this.#sessions].map((host) => host.close()));
    this.knowledge.forgetAll();
  }

  /** Returns the counters, summed over all sessions so far. */
  async stats(): Promise<SessionStats> {
    const now = await this.#session?.then(
      (session) => session.stats(),
      () => undefined,
    );
    return now === undefined ? this.#past : addStats(this.#past, now);
  }

  async close(): Promise<void> {
    this.#past = await this.stats();
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      (open) => open.close(),
      () => {},
    );
  }
}

/** The sum of two profiles; empty if neither session has one. */
function addProfiles({ profile: a }: SessionStats, { profile: b }: SessionStats): Pick<SessionStats, "profile"> {
  const known = a ?? b;
  if (known === undefined) return {};
  if (a === undefined || b === undefined) return { profile: known };
  return {
    profile: {
      frameMs: a.frameMs + b.frameMs,
      hostMs: a.hostMs + b.hostMs,
      processes: a.processes + b.processes,
      tasks: [...a.tasks, ...b.tasks],
    },
  };
}

/** The sum of the counters of two sessions. */
export function addStats(a: SessionStats, b: SessionStats): SessionStats {
  return {
    frames: a.frames + b.frames,
    bytesSent: a.bytesSent + b.bytesSent,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    channels: a.channels + b.channels,
    ...addProfiles(a, b),
  };
}

/** The error for an aborted signal. */
export function interruption(signal: AbortSignal): FurrowError {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}
