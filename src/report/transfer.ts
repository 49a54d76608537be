import type { Transferred } from "../core/transfer-line.ts";
import { bytes, duration } from "./text/words.ts";

interface Sample {
  readonly at: number;
  readonly done: number;
}

/**
 * The time window in which the rate is measured, in milliseconds: long enough to be steady, short enough to be current.
 */
const windowMs = 15_000;

/** The progress of one transfer: `1.2 GB of 7.0 GB, 17 %, 45.0 MB/s, 2 min 8 s left`. */
export class Transfer {
  #samples: Sample[] = [];
  #last: Transferred = { done: 0 };

  /**
   * Records the progress at the time `now`, in milliseconds. A lower byte count than before means that the transfer was
   * restarted.
   */
  take(transferred: Transferred, now: number): void {
    if (transferred.done < this.#last.done) this.#samples = [];
    this.#samples = [...this.#samples.filter(({ at }) => now - at <= windowMs), { at: now, done: transferred.done }];
    this.#last = transferred;
  }

  /** Returns the progress as text. */
  text(): string {
    const { done, total } = this.#last;
    const rate = this.#rate();
    const isKnown = total !== undefined && total > 0;
    const parts = [
      isKnown ? `${bytes(done)} of ${bytes(total)}` : bytes(done),
      isKnown && `${Math.min(100, Math.floor((done / total) * 100))} %`,
      rate > 0 && `${bytes(Math.round(rate))}/s`,
      rate > 0 && isKnown && done < total && `${duration(Math.max(1000, ((total - done) / rate) * 1000))} left`,
    ];
    return parts.filter(Boolean).join(", ");
  }

  /** Returns the rate in bytes per second; 0 until it is known. */
  #rate(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 500) return 0;
    return (last.done - first.done) / ((last.at - first.at) / 1000);
  }
}
