import { isFurrowError } from "../../core/errors.ts";
import { after } from "../../core/world.ts";
import type { RunRequest } from "../plan/request.ts";

/** Milliseconds for hosts to end by themselves once nothing is waited for. */
const leaveMs = 500;

/** How a run is stopped before its end: by a person in three steps, or by failures. */
export class Stopping {
  /** Aborted when no further task is to be begun. */
  readonly signal: AbortSignal;
  /** Aborted when what runs is to end. */
  readonly kill: AbortSignal;
  readonly #stop = new AbortController();
  readonly #say: (reason: string) => void;
  readonly #left: Promise<"left">;
  #interrupted = false;
  #isOver = false;

  /** `say` tells people why the run stops. */
  constructor({ stop, kill, leave }: Pick<RunRequest, "stop" | "kill" | "leave">, say: (reason: string) => void) {
    this.signal = this.#stop.signal;
    this.kill = kill ?? new AbortController().signal;
    this.#say = (reason) => void (this.#isOver || say(reason));
    stop?.addEventListener("abort", () => this.#interrupt(stop.reason));
    kill?.addEventListener("abort", () => this.#cut());
    this.#left = new Promise((resolve) => {
      leave?.addEventListener("abort", () => after(leaveMs, () => resolve("left")));
    });
  }

  /** A person has stopped the run. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Lets no further task begin. */
  stop(reason: string): void {
    if (this.signal.aborted) return;
    this.#say(reason);
    this.#stop.abort();
  }

  /** The run has told its end: a Ctrl-C while its sessions are closed is not told after that. */
  end(): void {
    this.#isOver = true;
  }

  /** `reason`: a person's Ctrl-C, or the error for which nothing more is to begin. */
  #interrupt(reason: unknown): void {
    if (isFurrowError(reason) && reason.code !== "E_INTERRUPTED") {
      const what = `${reason.failure.what}: each host finishes the task it is at`;
      return this.stop(`${what}; press Ctrl-C to end the running steps`);
    }
    this.#interrupted = true;
    this.stop("interrupted: each host finishes the task it is at; press Ctrl-C again to end the running steps");
  }

  #cut(): void {
    this.#interrupted = true;
    this.#say("the running steps are told to end, but for package transactions; furrow waits 3 s at most");
    this.#stop.abort();
  }

  /** Waits for something, but no longer than the run waits for anything. */
  async unlessLeft<T>(act: Promise<T>): Promise<T | "left"> {
    return Promise.race([act, this.#left]);
  }
}
