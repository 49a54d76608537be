import { exactly, factId } from "../../core/facts/fact.ts";
import type { Host } from "../host/host.ts";
import { EarlyResults } from "./early-results.ts";
import { type ForecastFrame, SentFrame, titleOf } from "./sent-frame.ts";

/** The frame in progress for one host's tasks, if any, and the turn on the host, which lasts as long as the frame. */
export class SentFrameTurn {
  /** The steps that the host has performed because of a wrong forecast, and that no task has taken. */
  readonly early = new EarlyResults();
  readonly #warn: (text: string) => void;
  #sent: { readonly frame: SentFrame; readonly host: Host } | undefined;
  #endTurn: (() => void) | undefined;
  #hasGuardFailed = false;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** The frame in progress. */
  get frame(): SentFrame | undefined {
    return this.#sent?.frame;
  }

  /**
   * True after the first failed guard. A kind that guessed wrong once would probably guess wrong for similar things as
   * well.
   */
  get hasGuardFailed(): boolean {
    return this.#hasGuardFailed;
  }

  /** Drops a frame that a failed guard has ended. */
  guardFailed(): void {
    this.#hasGuardFailed = true;
    this.stop();
  }

  /** Sends a frame to a host. From then on, the frame's tasks take their results from it. */
  send(host: Host, forecast: ForecastFrame, signal: AbortSignal): SentFrame {
    const frame = new SentFrame(host, forecast, signal);
    this.#sent = { frame, host };
    return frame;
  }

  /** Runs `act` in a turn on a host. The turn lasts until a frame sent in it has ended. */
  async inTurn<T>(host: Host, act: () => Promise<T>): Promise<T> {
    this.#endTurn ??= await host.mutex.take();
    try {
      return await act();
    } catch (error) {
      await this.abandon();
      throw error;
    } finally {
      if (this.#sent === undefined) this.#leaveTurn();
    }
  }

  #leaveTurn(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  /** Drops a frame that has ended. The turn ends with the current task. */
  stop(): void {
    this.#sent = undefined;
  }

  /**
   * Gives up a frame because a task needs different steps from those in the frame. If the host has already performed
   * steps that no task has taken, the forecast was wrong. In that case, also gives a warning, forgets everything known
   * about the host, so that it is read again, and keeps the results of these steps for their tasks.
   */
  async abandon(): Promise<void> {
    const sent = this.#sent;
    if (sent === undefined) return;
    const { frame, host } = sent;
    const untaken = await frame.untaken();
    if (untaken.length > 0) {
      const titles = untaken.map(titleOf).join(", ");
      this.#warn(
        `the steps sent ahead differ from the steps that are needed now; furrow re-reads the host, and does not repeat the steps that it has already performed: ${titles}`,
      );
      this.early.add(frame, untaken);
      host.knowledge.forgetAll();
    }
    host.knowledge.forget(frame.unguardedNow.map(({ fact }) => exactly(factId(fact))));
    this.stop();
  }

  /** Gives up the frame and the turn. */
  async leave(): Promise<void> {
    await this.abandon();
    this.#leaveTurn();
  }
}
