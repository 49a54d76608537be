import { after, now, type Timer } from "../../core/world.ts";

/** A timeout that can be paused. */
export class Deadline {
  readonly #controller = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: Timer | undefined;

  /** Starts the timeout. */
  constructor(ms: number) {
    this.#leftMs = ms;
    this.#run();
  }

  /** Aborted once the time has run out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for a promise with the timeout paused, for delays that are not the host's fault. */
  async exempt<T>(promise: Promise<T>): Promise<T> {
    this.stop();
    this.#leftMs -= now() - this.#since;
    try {
      return await promise;
    } finally {
      this.#run();
    }
  }

  /** Stops the timeout; only {@link exempt} starts it again. */
  stop(): void {
    this.#timer?.cancel();
  }

  #run(): void {
    this.#since = now();
    this.#timer = after(Math.max(0, this.#leftMs), () => this.#controller.abort(), { idle: true });
  }
}
