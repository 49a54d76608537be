import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FrameItem, FrameListener } from "../../../core/host/frame.ts";
import { leftSilent, untoldSeconds } from "../limits.ts";
import { LossReport } from "./loss-report.ts";
import { notOpenedAgain, stoodStill } from "./lost-frame.ts";
import { Progress } from "../answers/frame-progress.ts";
import type { Lines } from "../compile/frame-line.ts";
import type { FrameRecord } from "../answers/records.ts";
import { now } from "../../../core/world.ts";

/** The frame whose lost lines are counted. */
interface Lasting {
  readonly host: string;
  readonly listener: FrameListener;
  /** Aborted to stop before the next task. */
  readonly stop: AbortSignal | undefined;
  readonly lines: Pick<Lines, "moved" | "reconnectSeconds">;
}

/** Counts the lines lost since a frame last made progress, and decides when too many have been lost. */
export class Standstill {
  readonly #of: Lasting;
  readonly #progress = new Progress();
  #losses = 0;
  /** The time at which the first of the counted lines was lost. */
  #since = 0;

  readonly #report: LossReport;

  constructor(of: Lasting) {
    this.#of = of;
    this.#report = new LossReport(of.listener, of.lines.reconnectSeconds);
  }

  /** Call this when the frame is sent again. */
  sentAgain(): void {
    this.#progress.sentAgain();
  }

  /** Call this for each record from the host. */
  heard(record: FrameRecord): void {
    if (this.#progress.take(record)) this.moved();
  }

  /** Call this when the frame has made progress, or when the host reports that it is working on the frame. */
  moved(): void {
    this.#losses = 0;
    this.#of.lines.moved();
  }

  /** Call this when a line is lost. */
  lost(): void {
    if (this.#losses === 0) this.#since = now();
    this.#losses += 1;
  }

  /**
   * The error that ends the frame when there are no more retries. `begun` is true if the steps of a task have begun.
   */
  error(error: unknown, item: FrameItem | undefined, begun: boolean): unknown {
    if (this.#losses < 2 || !isFurrowError(error) || error.code !== "E_UNREACHABLE") return error;
    const said = begun ? "task" : this.#progress.accepted ? "frame" : "nothing";
    const seconds = (now() - this.#since) / 1000;
    return stoodStill({ host: this.#of.host, item, said, losses: this.#losses, seconds, error });
  }

  /** The error that ends the frame when no line can be opened. The other arguments are those of `error`. */
  unopened(error: unknown, item: FrameItem | undefined, begun: boolean): unknown {
    if (this.#losses !== 1 || !isFurrowError(error) || error.code !== "E_UNREACHABLE")
      return this.error(error, item, begun);
    const seconds = (now() - this.#since) / 1000;
    return notOpenedAgain({ host: this.#of.host, item, seconds, error });
  }

  /**
   * Called before the next line is opened. Throws FurrowError E_INTERRUPTED if the user has asked to stop and lines are
   * lost without an answer from the host.
   */
  comesAgain(error: FurrowError): void {
    this.#report.occurred(error);
    const { stop, host, listener } = this.#of;
    if (stop?.aborted !== true || this.#losses < 2 || now() - this.#since < untoldSeconds * 1000) return;
    listener.notice?.(leftSilent);
    throw new FurrowError("E_INTERRUPTED", {
      what: "the run was interrupted while the connection kept breaking",
      where: { host },
      cause: error,
    });
  }

  /** Reports that the connection was lost and is being reopened; reports this again only after `tellAgain`. */
  tellLost(): void {
    this.#report.tell();
  }

  /** Reports once that the connection was lost and is back. `begun` is true if the frame had begun on the host. */
  tellAgain(begun: boolean | undefined): void {
    this.#report.back(begun === true ? "; the host kept working in the meantime" : "");
  }
}
