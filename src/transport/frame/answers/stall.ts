import { FurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";
import { after, now, type Timer } from "../../../core/world.ts";
import { stepTimeoutSeconds } from "../compile/compile-step.ts";

/** Seconds without a word of the host after which a frame counts as stalled, where nothing else is set. */
export const defaultStallSeconds = 120;

/** Seconds that `timeout -k` gives a step which ignores its first signal. */
const killGraceSeconds = 10;

/** Silences of this many times the usual count where a host hashes, packs or flushes gigabytes without a word. */
export const longSilence = 5;

/** What a host says, beside a silent frame, of the work on it. */
export interface Life {
  /** A process of the frame is there. */
  readonly works: boolean;
  /** CPU time of all its processes, in ticks; undefined for a runner, which is believed without. */
  readonly ticks: number | undefined;
  /** What the journal of the session last said: `began TASK`. */
  readonly last: string;
}

/** What is watched: a frame on its way. */
export interface Watched {
  readonly host: string;
  readonly stallSeconds: number;
  /** The item that is being done. */
  item(): FrameItem | undefined;
  /** Asks the host, beside the frame; undefined where it gives no answer. */
  probe(): Promise<Life | undefined>;
  /** Something a person should know. */
  notice(text: string): void;
  /** The host has said beside the frame that it works on it. */
  alive(): void;
  /** Called once, when the frame has stalled. */
  stalled(error: FurrowError): void;
}

/**
 * Watches whether a frame gets on. A host that says nothing for `stallSeconds` is asked beside the frame whether it still
 * works on it: a long silent step is none of anybody's business. But after the time that a step may take, or reading may,
 * neither its word nor its output counts any more.
 */
export class StallWatch {
  readonly #watched: Watched;
  #timer: Timer;
  #heard = now();
  #moved = now();
  #ticks: number | undefined;
  #told: FrameItem | undefined;
  /** How often in a row the host was asked beside the frame. */
  #looks = 0;
  #ended = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#timer = this.#arm(this.#stallMs);
  }

  /** The host has said something; `moved` where it was more than output of the running step. */
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
    // What reads and gets no time of a processor from one look to the next hangs, on a dead file server for example.
    return life.ticks === undefined || this.#watched.item()?.item === "steps" || before !== life.ticks;
  }

  /** Milliseconds in which a record must come that is more than output. */
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
        ? `${silent}; the host says that its task ${item.title ?? item.task} still runs`
        : `${silent} while it is read; one of its programs is slow or hangs`,
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
        ? "the host has not ended a step long after its timeout"
        : `the host has sent no word of a frame for ${this.#silentSeconds} s`,
      where: { host, ...(item?.item === "steps" && { task: item.title ?? item.task }) },
      current:
        life === undefined
          ? "it does not answer beside it either"
          : `it answers beside it, ${life.works ? "and a process of the frame hangs" : "and no process works on it"}${last === "" ? "" : `; its journal says: ${last}`}`,
      expected: "output, an answer or a sign of life (--stall-timeout)",
      hint: "Look on the host what its processes wait for (ps, dmesg), then rerun",
    });
  }
}

/** Seconds that a step may take; none for a package transaction, which is not cut. */
function limitOf(
  step: { readonly step: string; timeoutSeconds?: number; uncut?: boolean },
  item: { timeoutSeconds?: number },
): number {
  if (step.uncut === true) return Number.POSITIVE_INFINITY;
  return step.timeoutSeconds ?? item.timeoutSeconds ?? stepTimeoutSeconds;
}
