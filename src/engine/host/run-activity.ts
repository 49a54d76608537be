import { now } from "../../core/world.ts";

/**
 * The time, in milliseconds, for which values count as current after they are read, if nothing is known to have
 * happened since.
 */
export const currentMs = 10_000;

/** A moment in a run. */
export interface Moment {
  readonly count: number;
  readonly at: number;
}

/**
 * Counts what a run does: steps, changes and waits, on all its hosts. What was read before may have changed since, even
 * on a host on which the run did nothing: a change on one host may affect another, and anything may change during a
 * wait.
 */
export class RunActivity {
  #count = 0;

  /** Records a step, a change or a wait. */
  note(): void {
    this.#count += 1;
  }

  /** This moment. */
  now(): Moment {
    return { count: this.#count, at: now() };
  }

  /** True if the run has done something since the given moment, or if more than {@link currentMs} have passed. */
  isSince({ count, at }: Moment): boolean {
    return this.#count !== count || now() - at > currentMs;
  }
}
