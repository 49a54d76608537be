import { now } from "../../core/world.ts";
import { Gate } from "./gate.ts";

/** Limits of a {@link ConnectPace}. */
export interface PaceLimits {
  /** Connections that may be under way at first, at least and at most. */
  readonly first: number;
  readonly fewest: number;
  readonly most: number;
  /** Milliseconds within which a connection is quick: one more may be under way then. */
  readonly quickMs: number;
  /** Milliseconds from which on a connection is late: half as many may be under way then. */
  readonly lateMs: number;
}

/**
 * Each handshake takes some milliseconds of this process and more of the host's, so that hundreds begun at once, on a machine
 * that is busy, would all come late for their deadlines. Far hosts are quick all the same: four round trips of 300 ms.
 */
const usual: PaceLimits = { first: 32, fewest: 4, most: 128, quickMs: 2000, lateMs: 5000 };

/** Gives a place back; `made` where the connection was made. Without effect the second time. */
export type Leave = (made: boolean) => void;

/** Lets as many connections be under way at a time as are answered in time: more while they are quick, fewer when they are late. */
export class ConnectPace {
  readonly #limits: PaceLimits;
  readonly #gate: Gate;
  #places: number;
  /** When it last had to slow down: whoever began before that says nothing new. */
  #slowed = Number.NEGATIVE_INFINITY;

  constructor(limits: PaceLimits = usual) {
    this.#limits = limits;
    this.#places = limits.first;
    this.#gate = new Gate(limits.first);
  }

  /** How many may be under way now. */
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
