import type { RunEvent } from "../../core/events.ts";

/** How long a host that is through may wait until that is written, in milliseconds. */
const writeEveryMs = 250;

/** Hosts that a run has left with work to do, so far. */
interface Left {
  readonly failed: readonly string[];
  readonly unfinished: readonly string[];
}

/**
 * Which hosts of a run have failed and which are not through, written as the run goes: a run that is killed leaves at most a
 * host too many among the unfinished.
 */
export class LeftHosts {
  readonly #write: (left: Left) => void;
  readonly #now: () => number;
  /** Plays that each host is still to end. */
  readonly #plays: Map<string, number>;
  readonly #failed = new Set<string>();
  #written: number;

  /** `plays`: the hosts of each play. Writes at once that none of them is through. */
  constructor(
    plays: readonly (readonly string[])[],
    write: (left: Left) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#write = write;
    this.#now = now;
    this.#plays = new Map();
    for (const host of plays.flat()) this.#plays.set(host, (this.#plays.get(host) ?? 0) + 1);
    this.#written = now();
    this.#save();
  }

  /** Takes an event, in the order they happen. Throws what writing throws. */
  take(event: RunEvent): void {
    if (event.type === "hostStopped" && this.#plays.has(event.host)) {
      this.#failed.add(event.host);
      this.#save();
    }
    if (event.type === "hostDone") {
      this.#plays.set(event.host, (this.#plays.get(event.host) ?? 1) - 1);
      if (this.#now() - this.#written >= writeEveryMs) this.#save();
    }
    if (event.type !== "runFinished") return;
    const left = new Set(event.recap.filter(({ end }) => end !== "done").map(({ host }) => host));
    for (const host of this.#plays.keys()) this.#plays.set(host, left.has(host) ? 1 : 0);
    this.#save();
  }

  #save(): void {
    this.#written = this.#now();
    const unfinished = [...this.#plays].flatMap(([host, plays]) => (plays > 0 || this.#failed.has(host) ? [host] : []));
    this.#write({ failed: [...this.#failed], unfinished });
  }
}
