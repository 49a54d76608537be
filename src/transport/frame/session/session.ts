import { type FurrowError, isFurrowError } from "../../../core/errors.ts";
import type {
  FetchListener,
  Frame,
  FrameItem,
  FrameListener,
  ItemResult,
  Session,
  SessionStats,
} from "../../../core/host/frame.ts";
import { OneFrame } from "../../../core/host/one-frame.ts";
import type { FetchStep } from "../../../core/host/step.ts";
import type { Become, Channel, Link } from "../../../core/host/transport.ts";
import { openShell } from "../../become.ts";
import type { TriedPasswords } from "../../tried-passwords.ts";
import { FrameClock } from "../compile/clock.ts";
import { exchange, type ExchangeContext, type Exchanged } from "./exchange.ts";
import { fetchFile } from "../upload/fetch.ts";
import { holderOf, LockWait, type RunClaim } from "../lock/wait-for-lock.ts";
import { JournalSupport } from "./journal-support.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Orders } from "./orders.ts";
import { distrusting } from "../compile/skip-cache.ts";
import {
  alwaysReads,
  failed,
  mergeResults,
  only,
  splitAtStaged,
  type Staged,
  stopped,
  wholeItems,
} from "../compile/frame-parts.ts";
import { fruitlessMoves } from "../limits.ts";
import { brokenProtocol } from "../protocol-error.ts";
import { ShellLines } from "./reconnect.ts";
import { defaultStallSeconds, longSilence } from "../answers/stall.ts";
import { sentAs } from "../upload/counted.ts";
import { type OpenShell, stageContent } from "../upload/resumable-upload.ts";
import { stageTogether } from "../upload/stage-batch.ts";
import { randomBytes } from "../../../core/world.ts";

/** The settings and functions needed to open a session. */
export interface FrameSessionOptions {
  /** The host's name, for errors. */
  readonly host: string;
  readonly link: Link;
  /** Opens a new link after a loss. Without this function, a lost link ends the session. */
  readonly relink?: (signal: AbortSignal) => Promise<Link>;
  /** Seconds during which furrow tries to open a new link after a loss. Default 300. */
  readonly reconnectSeconds?: number;
  /** Seconds without data from the host after which a frame counts as stalled. Default 120. */
  readonly stallSeconds?: number;
  /** The user who is logged in on the link. */
  readonly user: string;
  readonly become: Become | undefined;
  readonly signal: AbortSignal;
  /** The run for which the session claims the host. */
  readonly run?: RunClaim;
  /** The passwords that have worked or failed in this run, in any session. */
  readonly tried?: TriedPasswords;
  /** True to measure how frames spend their time. */
  readonly profile?: boolean;
  /** True to ignore the notes that furrow keeps on the host: files are hashed regardless of what their stamps say. */
  readonly verify?: boolean;
  /** Aborted to stop before the next task. */
  readonly stop?: AbortSignal;
  /** Aborted to leave without waiting for running work. A frame's own `signal` asks that frame to end. */
  readonly leave?: AbortSignal;
}

/**
 * Opens a session, which exchanges frames with a shell on the host over a link. Throws FurrowError E_BECOME, E_PROTOCOL
 * or E_UNREACHABLE; the first frame may throw E_LOCKED.
 */
export async function openFrameSession(options: FrameSessionOptions): Promise<Session> {
  const session = new FrameSession(options);
  await session.first();
  return session;
}

class FrameSession implements Session {
  readonly user: string;
  readonly #options: FrameSessionOptions;
  readonly #lines: ShellLines;
  readonly #lock: LockWait;
  readonly #orders: Orders;
  readonly #boot = { id: undefined, pid: undefined };
  readonly #journals = new JournalSupport();
  readonly #clock: FrameClock | undefined;
  readonly #heartbeat: Heartbeat;
  readonly #line: OneFrame;
  #frames = 0;

  constructor(options: FrameSessionOptions) {
    this.#options = options;
    this.user = options.become?.user ?? options.user;
    this.#line = new OneFrame(options.host);
    const { host, link, relink, become, tried, run, reconnectSeconds = 300 } = options;
    const identity = { run: run?.id ?? `x${randomName()}`, session: randomName(), holder: run && holderOf(run) };
    this.#lines = new ShellLines({ host, link, relink, become, tried, reconnectSeconds, identity });
    this.#clock = options.profile === true ? new FrameClock() : undefined;
    this.#lock = new LockWait(host, run);
    this.#orders = new Orders((signal) => this.#shell(signal), identity);
    this.#heartbeat = new Heartbeat(() => void this.#lines.line?.renew().catch(() => {}));
  }

  first(): Promise<void> {
    return this.#lines.first(this.#options.signal);
  }

  async frame(frame: Frame, listener: FrameListener, signal: AbortSignal): Promise<ItemResult[]> {
    const end = this.#line.begin(frame);
    try {
      return await this.#parts(frame, listener, signal);
    } finally {
      end();
    }
  }

  async #parts(frame: Frame, listener: FrameListener, signal: AbortSignal): Promise<ItemResult[]> {
    const results: ItemResult[] = [];
    const all = this.#options.verify === true ? frame.items.map(distrusting) : frame.items;
    const parts = splitAtStaged(all);
    for (const [number, { items, staged }] of parts.entries()) {
      const inParts = { ...listener, item: wholeItems(all, items, results, listener) };
      const unsent = staged && (await this.#stage(staged, all[staged.item], listener, signal));
      if (unsent) {
        const result: ItemResult = { item: "steps", results: [], failed: { index: 0, error: unsent } };
        inParts.item(staged.item, result);
        mergeResults(results, only(staged.item, result));
        break;
      }
      const continued = results.findIndex((result, at) => result?.item === "steps" && items[at] !== undefined);
      const part = await this.#toItsEnd(items, continued < 0 ? undefined : continued, inParts, signal);
      mergeResults(results, part.results);
      if (part.stopped) break;
      if (!part.results.some(stopped)) continue;
      const left = number + 1 < parts.length && !part.results.some(failed) ? alwaysReads(all) : undefined;
      if (left) mergeResults(results, (await this.#exchange(left, undefined, listener, signal)).results);
      break;
    }
    return all.map((_, index) => results[index] ?? { item: "skipped" });
  }

  /**
   * Sends the rest of a frame that ended early because the controller slept for longer than its lease, or was not
   * connected while another run asked for the host.
   */
  async #toItsEnd(
    items: readonly (FrameItem | undefined)[],
    continued: number | undefined,
    listener: FrameListener,
    signal: AbortSignal,
    round = 0,
  ): Promise<Exchanged> {
    const first = await this.#exchange(items, continued, listener, signal);
    const { stopped: end } = first;
    if (end === undefined || end.why === "stop") return first;
    if (round >= fruitlessMoves) {
      throw brokenProtocol(`the host stopped ${round} times between two tasks without being told to`).at({
        host: this.#options.host,
      });
    }
    listener.notice?.(`${whyStopped[end.why]}; it continues`);
    const rest = items.map((item, at) => (at < end.item ? undefined : item));
    const then = await this.#toItsEnd(rest, undefined, listener, signal, round + 1);
    const results = [...first.results];
    mergeResults(results, then.results);
    return { results, stopped: then.stopped };
  }

  async #exchange(
    items: readonly (FrameItem | undefined)[],
    continued: number | undefined,
    listener: FrameListener,
    kill: AbortSignal,
  ): Promise<Exchanged> {
    const filled = items.map((item) => item ?? ({ item: "read", questions: [] } as const));
    this.#frames += 1;
    const acts = filled.some(({ item }) => item === "steps");
    const { stop, leave } = this.#options;
    const end = this.#heartbeat.during();
    const watch = this.#orders.watch(acts, { stop, kill, leave, listener });
    const context: ExchangeContext = {
      host: this.#options.host,
      lines: this.#lines,
      listener,
      signal: watch.leave,
      stop,
      stallSeconds: this.#stallSeconds,
      probe: (pid) => this.#orders.probe(pid, Math.min(10, 4 * this.#stallSeconds)),
      boot: this.#boot,
      journals: this.#journals,
      clock: this.#clock,
      held: (word) => {
        this.#lines.line?.unclaimed();
        return this.#lock.held(word, listener, AbortSignal.any([kill, ...(stop ? [stop] : [])]));
      },
      left: (word) => this.#lock.left(word, listener),
    };
    const act = (): Promise<Exchanged> => exchange(filled, continued, context);
    try {
      return await (this.#clock ? this.#clock.during(act) : act());
    } catch (error) {
      // The frame was left without an answer, so the shell cannot be closed gracefully.
      if (watch.leave.aborted) this.#lines.abandon();
      throw error;
    } finally {
      end();
      watch.end();
    }
  }

  async #shell(signal: AbortSignal): Promise<Channel> {
    const { host, become, tried } = this.#options;
    return this.#lines.withLink((link) => openShell(link, { host, signal, tried, ...(become && { become }) }), signal);
  }

  /**
   * Stages content. Returns the error if the host cannot accept the content; throws if a lost link cannot be replaced.
   */
  async #stage(
    staged: Staged,
    item: FrameItem | undefined,
    listener: FrameListener,
    signal: AbortSignal,
  ): Promise<FurrowError | undefined> {
    const { host, become, tried } = this.#options;
    const over = (act: (open: OpenShell) => Promise<void>): Promise<void> =>
      this.#lines.withLink(
        (link) => {
          return act(() => openShell(link, { host, signal, tried, eager: true, ...(become && { become }) }));
        },
        signal,
        listener,
      );
    try {
      const sent = sentAs(item, listener);
      if ("step" in staged)
        await over((open) => stageContent(open, staged.step, signal, undefined, this.#longMs, sent));
      else await over((open) => stageTogether(open, staged.batch, signal, this.#longMs, sent));
      return undefined;
    } catch (error) {
      if (!isFurrowError(error) || error.code === "E_UNREACHABLE" || signal.aborted) throw error;
      return error;
    }
  }

  async fetch(step: FetchStep, signal: AbortSignal, listener: FetchListener = {}): Promise<void> {
    const { host, become, tried } = this.#options;
    const { progress } = listener;
    await this.#lines.withLink(
      async (link) => {
        const shell = await openShell(link, { host, signal, tried, ...(become && { become }) });
        await fetchFile(shell, step, { host, signal, stallMs: this.#longMs, ...(progress && { progress }) });
      },
      signal,
      listener,
    );
  }

  get #stallSeconds(): number {
    return this.#options.stallSeconds ?? defaultStallSeconds;
  }

  /** Milliseconds after which a transfer without progress fails. */
  get #longMs(): number {
    return this.#stallSeconds * longSilence * 1000;
  }

  stats(): SessionStats {
    const profile = this.#clock?.profile;
    return { ...this.#lines.stats(), frames: this.#frames, ...(profile && { profile }) };
  }

  /** Ends the shell, waits briefly for its clean-up, then closes the link. */
  async close(): Promise<void> {
    this.#heartbeat.end();
    this.#orders.close();
    await this.#lines.close();
  }
}

const whyStopped = {
  lease: "the host heard nothing from furrow for too long and stopped after a task",
  wanted: "the host stopped after a task, because another run is waiting for it",
} as const;

function randomName(): string {
  return randomBytes(5).toString("hex");
}
