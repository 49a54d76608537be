import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FrameListener } from "../../../core/host/frame.ts";
import { type Become, ChannelRefused, type Link, type LinkStats } from "../../../core/host/transport.ts";
import { now, random, sleep } from "../../../core/world.ts";
import { openShell } from "../../become.ts";
import type { TriedPasswords } from "../../tried-passwords.ts";
import type { Line, Lines } from "../compile/frame-line.ts";
import { LossReport } from "./loss-report.ts";
import { type SessionIdentity, ShellLine } from "./shell-line.ts";

/** Number of attempts for a host that has never answered, or whose shells end immediately. */
const fewTries = 3;

/** The settings and functions needed to open the shells of a session. */
export interface ShellLinesOptions {
  /** The host's name, for errors. */
  readonly host: string;
  readonly link: Link;
  /** Opens a new link after a loss. Without this function, a loss is final. */
  readonly relink?: ((signal: AbortSignal) => Promise<Link>) | undefined;
  readonly become: Become | undefined;
  readonly tried: TriedPasswords | undefined;
  /** Seconds during which furrow tries to open a new link. */
  readonly reconnectSeconds: number;
  readonly identity: SessionIdentity;
}

/** Opens the lines of a session. A line is one shell on one link; after each loss, both are replaced. */
export class ShellLines implements Lines {
  readonly #options: ShellLinesOptions;
  #link: Link | undefined;
  #linking: Promise<Link> | undefined;
  #line: ShellLine | undefined;
  #heard = false;
  #closed = false;
  /** Attempts since the host last sent more than its greeting. */
  #tries = 0;
  /** The time of the first loss since the frame last made progress. */
  #lostSince: number | undefined;
  #past: LinkStats = { bytesSent: 0, bytesReceived: 0, channels: 0 };

  constructor(options: ShellLinesOptions) {
    this.#options = options;
    this.#link = options.link;
  }

  /** Opens the first line on the existing link. The line's shell might not have started yet; see `openShell`. */
  async first(signal: AbortSignal): Promise<void> {
    this.#line = await this.#open(await this.link(signal), signal);
  }

  async open(signal: AbortSignal): Promise<Line> {
    if (this.#line) return this.#line;
    const tries = this.#tries;
    if (tries > 0) await pause(Math.min(3000, 50 * 2 ** tries) * (0.5 + random()), signal);
    const since = this.#lostSince;
    const line = await this.#again(async (attempt) => this.#open(await this.link(attempt), attempt), signal, since);
    this.#line = line;
    return line;
  }

  get reconnectSeconds(): number {
    return this.#options.reconnectSeconds;
  }

  heard(more: boolean): void {
    this.#heard = true;
    if (more) this.#tries = 0;
  }

  moved(): void {
    this.#lostSince = undefined;
  }

  /**
   * Calls `act` with the link, and again with a new link if the link is lost during the call. A transfer between frames
   * passes a listener, to which the loss and the new link are reported; during a frame, the frame reports them. If the
   * host refuses another shell during a frame, the link is not lost: it still carries the frame.
   */
  async withLink<T>(
    act: (link: Link) => Promise<T>,
    signal: AbortSignal,
    listener?: Pick<FrameListener, "notice" | "lost">,
  ): Promise<T> {
    const report = listener && new LossReport(listener, this.reconnectSeconds);
    const noSecondShell = (error: unknown): boolean => report === undefined && isRefused(error);
    return this.#again(
      async (attempt) => {
        const link = await this.link(attempt);
        report?.back();
        try {
          return await act(link);
        } catch (error) {
          if (noSecondShell(error)) throw error;
          if (isUnreachable(error)) this.#dropLink(link);
          // The line went down with its link. No frame is waiting for it, and its loss must not be reported again.
          if (isUnreachable(error) && report) this.abandon();
          throw error;
        }
      },
      signal,
      now(),
      { report, isFinal: noSecondShell },
    );
  }

  /**
   * Drops a line after this error and decides whether to open another one. A new link may be refused or lost before the
   * host answers, or fall silent after the greeting; furrow then retries until the deadline. furrow retries only a
   * few times if the host has never answered, or if its shells exit by themselves.
   */
  drop(line: Line, error: FurrowError): boolean {
    if (this.#line === line) {
      this.#line.shell.destroy();
      this.#line = undefined;
      if (this.#link) this.#dropLink(this.#link);
    }
    const tries = this.#tries++;
    this.#lostSince ??= now();
    const few = !this.#heard || endsItself(error);
    if (this.#options.relink === undefined || (few && tries >= fewTries)) return false;
    return now() - this.#lostSince < this.#options.reconnectSeconds * 1000;
  }

  /** Ends the line immediately, without notifying the host: the user stopped the run in the middle of a frame. */
  abandon(): void {
    this.#line?.shell.destroy();
    this.#line = undefined;
  }

  /** The shell of the current line, if there is one. */
  get line(): ShellLine | undefined {
    return this.#line;
  }

  /** Returns the link, or opens a new one. */
  async link(signal: AbortSignal): Promise<Link> {
    if (this.#link) return this.#link;
    const { relink } = this.#options;
    if (relink === undefined || this.#closed) throw this.#lost();
    // A frame and the second shell may ask for the link at the same time.
    this.#linking ??= this.#opened(relink(signal)).finally(() => (this.#linking = undefined));
    this.#link = await this.#linking;
    return this.#link;
  }

  /**
   * Waits for a new link. If the session has ended in the meantime, the new link is closed, because it would keep
   * furrow running forever.
   */
  async #opened(opening: Promise<Link>): Promise<Link> {
    const link = await opening;
    if (!this.#closed) return link;
    link.close().catch(() => {});
    throw this.#lost();
  }

  #lost(): FurrowError {
    const { host } = this.#options;
    return new FurrowError("E_UNREACHABLE", { what: `the connection to ${host} was lost`, where: { host } });
  }

  stats(): LinkStats {
    return this.#link === undefined ? this.#past : add(this.#past, this.#link.stats());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#line?.bye(this.#link?.deliversLastWords !== true);
    await this.#link?.close();
  }

  #dropLink(link: Link): void {
    if (this.#link !== link) return;
    this.#past = add(this.#past, link.stats());
    this.#link = undefined;
    link.close().catch(() => {});
  }

  async #open(link: Link, signal: AbortSignal): Promise<ShellLine> {
    const { host, become, tried, identity } = this.#options;
    try {
      const shell = await openShell(link, { host, signal, tried, eager: true, ...(become && { become }) });
      return new ShellLine(shell, host, identity);
    } catch (error) {
      if (isUnreachable(error)) this.#dropLink(link);
      throw error;
    }
  }

  /**
   * Retries until the deadline while the host cannot be reached, unless the error is final. `since`: when the reconnect
   * time began.
   */
  async #again<T>(
    act: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    since = now(),
    { report, isFinal }: { report?: LossReport | undefined; isFinal?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    const { relink, reconnectSeconds } = this.#options;
    const deadline = since + reconnectSeconds * 1000;
    // p-retry cannot be used: it reads Node's clock, while all times here come from `world.ts`.
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return await act(signal);
      } catch (error) {
        if (relink === undefined || this.#closed || !isUnreachable(error) || now() >= deadline) throw error;
        if (isFinal?.(error) === true) throw error;
        report?.occurred(error);
        report?.tell();
      }
      await pause(Math.min(3000, 100 * 2 ** tries) * (1 + random()), signal);
    }
  }
}

/** Waits for `ms` milliseconds. Throws the signal's reason, which is clearer than Node's AbortError. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => signal.throwIfAborted());
}

/** True if the shell ended while its link was up. */
function endsItself(error: FurrowError): boolean {
  return error.failure.current?.startsWith("exit code") ?? false;
}

function isUnreachable(error: unknown): error is FurrowError {
  return isFurrowError(error) && error.code === "E_UNREACHABLE";
}

/** True if the connection works, but the host refuses another shell on it. */
function isRefused(error: unknown): boolean {
  return isFurrowError(error) && error.failure.cause instanceof ChannelRefused;
}

function add(a: LinkStats, b: LinkStats): LinkStats {
  return {
    bytesSent: a.bytesSent + b.bytesSent,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    channels: a.channels + b.channels,
  };
}
