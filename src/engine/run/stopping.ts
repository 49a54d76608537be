import { isFurrowError } from "../../core/errors.ts";
import { after } from "../../core/world.ts";
import type { RunRequest } from "../plan/request.ts";

/** The time, in milliseconds, that hosts get to end by themselves once the run stops waiting. */
const leaveMs = 500;

/**
 * Stops a run early, because of failures or at the user's request. A user can stop it in up to three steps (`stop`,
 * `kill`, `leave`).
 */
export class Stopping {
  /** Aborted when no further tasks may start. */
  readonly signal: AbortSignal;
  /** Aborted when running steps must stop. */
  readonly kill: AbortSignal;
  readonly #stop = new AbortController();
  readonly #say: (reason: string) => void;
  readonly #left: Promise<"left">;
  readonly #orders: Pick<RunRequest, "stop" | "kill" | "leave">;
  #interrupted = false;
  #isOver = false;

  /** `say` tells the user why the run stops. */
  constructor(orders: Pick<RunRequest, "stop" | "kill" | "leave">, say: (reason: string) => void) {
    const { stop, kill, leave } = orders;
    this.#orders = orders;
    this.signal = this.#stop.signal;
    this.kill = kill ?? new AbortController().signal;
    this.#say = (reason) => void (this.#isOver || say(reason));
    stop?.addEventListener("abort", () => this.#interrupt(stop.reason));
    kill?.addEventListener("abort", () => this.#cut());
    this.#left = new Promise((resolve) => {
      leave?.addEventListener("abort", () => after(leaveMs, () => resolve("left")));
    });
  }

  /**
   * Handles signals that were aborted before the run began, because an aborted signal does not call listeners that are
   * added later.
   */
  begin(): void {
    const { stop, kill } = this.#orders;
    if (stop?.aborted) this.#interrupt(stop.reason);
    if (kill?.aborted) this.#cut();
  }

  /** True if the user has stopped the run. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Prevents further tasks from starting, if a reason is given. */
  stop(reason: string | undefined): void {
    if (reason === undefined || this.signal.aborted) return;
    this.#say(reason);
    this.#stop.abort();
  }

  /** Records that the run has reported its end. A Ctrl-C while its sessions close is not reported. */
  end(): void {
    this.#isOver = true;
  }

  /** `reason`: the user's Ctrl-C, or the error that prevents further tasks from starting. */
  #interrupt(reason: unknown): void {
    if (isFurrowError(reason) && reason.code !== "E_INTERRUPTED") {
      const what = `${reason.failure.what}, so each host finishes its current task`;
      return this.stop(`${what}; press Ctrl-C to stop the running steps`);
    }
    this.#interrupted = true;
    this.stop("interrupted, so each host finishes its current task; press Ctrl-C again to stop the running steps");
  }

  #cut(): void {
    this.#interrupted = true;
    this.#say("stopping the running steps, except package transactions; furrow waits 3 s at most");
    this.#stop.abort();
  }

  /** Waits for `act`, but gives up when the run itself stops waiting. Returns `left` if the run stopped waiting. */
  async orStopWaiting<T>(act: Promise<T>): Promise<T | "left"> {
    return Promise.race([act, this.#left]);
  }
}
