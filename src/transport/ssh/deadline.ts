import { after, now, type Timer } from "../../core/world.ts";

/** A timeout that can be stopped while others are waited for. */
export class Deadline {
  readonly #controller = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: Timer | undefined;

  /** Runs from now on. */
  constructor(ms: number) {
    this.#leftMs = ms;
    this.#run();
  }

  /** Aborted once the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for something that is not the other side's fault: the time stands still. */
  async exempt<T>(promise: Promise<T>): Promise<T> {
    this.stop();
    this.#leftMs -= now() - this.#since;
    try {
      return await promise;
    } finally {
      this.#run();
    }
  }

  /** For good, unless {@link exempt} is what stops it. */
  stop(): void {
    this.#timer?.cancel();
  }

  #run(): void {
    this.#since = now();
    this.#timer = after(Math.max(0, this.#leftMs), () => this.#controller.abort(), { idle: true });
  }
}
