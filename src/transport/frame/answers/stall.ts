import { FurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";
import { after, now, type Timer } from "../../../core/world.ts";
import { stepTimeoutSeconds } from "../compile/compile-step.ts";

/** Default number of seconds without data from the host after which a frame counts as stalled. */
export const defaultStallSeconds = 120;

/** Seconds that `timeout -k` gives a step that ignores its first signal. */
const killGraceSeconds = 10;

/** The factor by which the stall timeout is extended while a host silently hashes, packs or flushes gigabytes. */
export const longSilence = 5;

/** A host's report, on a second shell, about its work on a silent frame. */
export interface Life {
  /** True if a process of the frame exists. */
  readonly works: boolean;
  /** CPU time of all processes of the frame, in ticks. Undefined for a runner, whose existence is proof enough. */
  readonly ticks: number | undefined;
  /** The last entry of the session's journal: `began TASK`. */
  readonly last: string;
}

/** The frame being watched. */
export interface Watched {
  readonly host: string;
  readonly stallSeconds: number;
  /** The current item. */
  item(): FrameItem | undefined;
  /** Asks the host on a second shell whether it is working on the frame. Undefined if the host does not answer. */
  probe(): Promise<Life | undefined>;
  /** Shows a message to the user. */
  notice(text: string): void;
  /** Called when the host has confirmed on the second shell that it is working on the frame. */
  alive(): void;
  /** Called once, if the frame stalls. */
  stalled(error: FurrowError): void;
}

/**
 * Watches whether a frame makes progress. If the host sends nothing for `stallSeconds`, it is asked on a second shell
 * whether it is still working on the frame, because a step may be long and silent. Once a step or a read has exceeded
 * its time limit, neither that answer nor output counts as progress.
 */
export class StallWatch {
  readonly #watched: Watched;
  #timer: Timer;
  #heard = now();
  #moved = now();
  #ticks: number | undefined;
  #told: FrameItem | undefined;
  /** The number of times in a row that the host was asked on the second shell. */
  #looks = 0;
  #ended = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#timer = this.#arm(this.#stallMs);
  }

  /**
   * Call this when the host has sent data. `moved` is true if it sent anything besides output from the running step.
   */
  heard(moved: boolean): void {
    this.#heard = now();
    this.#looks = 0;
    if (moved) this.#moved = this.#heard;
  }

  end(): void {
    this.#ended = true;
    this.#timer.cancel();
  }

  get #stallMs(): number {
    return this.#watched.stallSeconds * 1000;
  }

  #arm(ms: number): Timer {
    return after(ms, () => void this.#look(), { idle: true });
  }

  async #look(): Promise<void> {
    const overdue = now() - this.#moved > this.#limitMs();
    const silent = now() - this.#heard;
    if (!overdue && silent < this.#stallMs) {
      this.#timer = this.#arm(this.#stallMs - silent);
      return;
    }
    this.#looks += 1;
    const life = await this.#watched.probe();
    if (this.#ended) return;
    if (!overdue && this.#isAlive(life)) {
      this.#tell();
      this.#watched.alive();
      this.#heard = now();
      this.#timer = this.#arm(this.#stallMs);
      return;
    }
    this.#ended = true;
    this.#watched.stalled(this.#error(life, overdue));
  }

  #isAlive(life: Life | undefined): boolean {
    if (life?.works !== true) return false;
    const before = this.#ticks;
    this.#ticks = life.ticks;
    // A read that uses no CPU time between two checks is hanging, for example because a file server does not respond.
    return life.ticks === undefined || this.#watched.item()?.item === "steps" || before !== life.ticks;
  }

  /** Milliseconds within which a record other than output must arrive. */
  #limitMs(): number {
    const item = this.#watched.item();
    const seconds = item?.item === "steps" ? Math.max(0, ...item.steps.map((step) => limitOf(step, item))) : 0;
    const usual = item?.item === "steps" ? seconds : stepTimeoutSeconds;
    return (usual + killGraceSeconds + this.#watched.stallSeconds) * 1000;
  }

  #tell(): void {
    const item = this.#watched.item();
    if (item === undefined || item === this.#told) return;
    this.#told = item;
    const silent = `has printed nothing for ${this.#silentSeconds} s`;
    this.#watched.notice(
      item.item === "steps"
        ? `${silent}; the host reports that its task ${item.title ?? item.task} is still running`
        : `${silent} while furrow reads its facts; one of its programs is slow or hangs`,
    );
  }

  get #silentSeconds(): number {
    return Math.max(1, this.#looks) * this.#watched.stallSeconds;
  }

  #error(life: Life | undefined, overdue: boolean): FurrowError {
    const { host } = this.#watched;
    const item = this.#watched.item();
    const last = life?.last ?? "";
    return new FurrowError("E_UNREACHABLE", {
      what: overdue
        ? "a step is still running on the host long after its timeout"
        : `the host has sent no part of a frame's answer for ${this.#silentSeconds} s`,
      where: { host, ...(item?.item === "steps" && { task: item.title ?? item.task }) },
      current:
        life === undefined
          ? "it does not answer on a second shell either"
          : `it answers on a second shell, ${life.works ? "but a process of the frame hangs" : "but no process of the frame is running"}${last === "" ? "" : `; its journal says: ${last}`}`,
      expected: "output, an answer or a sign of life (--stall-timeout)",
      hint: "Check what the host's processes are waiting for (ps, dmesg), then rerun",
    });
  }
}

/** Seconds that a step may take. A package transaction has no limit, because it is never cut off. */
function limitOf(
  step: { readonly step: string; timeoutSeconds?: number; uncut?: boolean },
  item: { timeoutSeconds?: number },
): number {
  if (step.uncut === true) return Number.POSITIVE_INFINITY;
  return step.timeoutSeconds ?? item.timeoutSeconds ?? stepTimeoutSeconds;
}
