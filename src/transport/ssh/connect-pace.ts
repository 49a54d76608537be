import { now } from "../../core/world.ts";
import { Gate } from "./gate.ts";

/** Limits of a {@link ConnectPace}. */
export interface PaceLimits {
  /** The limit on connections in progress: its initial value, its minimum and its maximum. */
  readonly first: number;
  readonly fewest: number;
  readonly most: number;
  /** A connection made within this many milliseconds is quick, and raises the limit by one. */
  readonly quickMs: number;
  /** A connection that takes longer than this many milliseconds is late, and halves the limit. */
  readonly lateMs: number;
}

/**
 * Each handshake takes this process a few milliseconds, and the host even longer. On a busy machine, hundreds started
 * at once would all miss their deadlines. Distant hosts still count as quick: four round trips of 300 ms.
 */
const usual: PaceLimits = { first: 32, fewest: 4, most: 128, quickMs: 2000, lateMs: 5000 };

/** Releases a place. `made` is true if the connection was made. A second call has no effect. */
export type Leave = (made: boolean) => void;

/**
 * Limits the connections in progress to what hosts can answer in time: more while the hosts are quick, fewer when they
 * are late.
 */
export class ConnectPace {
  readonly #limits: PaceLimits;
  readonly #gate: Gate;
  #places: number;
  /**
   * The time at which the pace last slowed down. A late connection that began before then provides no new information.
   */
  #slowed = Number.NEGATIVE_INFINITY;

  constructor(limits: PaceLimits = usual) {
    this.#limits = limits;
    this.#places = limits.first;
    this.#gate = new Gate(limits.first);
  }

  /** The current limit on connections in progress. */
  get places(): number {
    return this.#places;
  }

  /** Waits for a turn. Throws `signal.reason`. */
  async enter(signal: AbortSignal): Promise<Leave> {
    const leave = await this.#gate.enter(signal);
    const began = now();
    let inside = true;
    return (made) => {
      if (inside) this.#judge(began, made);
      inside = false;
      leave();
    };
  }

  #judge(began: number, made: boolean): void {
    const { fewest, most, quickMs, lateMs } = this.#limits;
    const took = now() - began;
    if (took >= lateMs && began >= this.#slowed) {
      this.#slowed = now();
      this.#resize(Math.max(fewest, Math.floor(this.#places / 2)));
    } else if (made && took < quickMs) this.#resize(Math.min(most, this.#places + 1));
  }

  #resize(places: number): void {
    this.#gate.grow(places - this.#places);
    this.#places = places;
  }
}
