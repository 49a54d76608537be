import type { RunEvent } from "../../core/events.ts";

/** Milliseconds until a finished host is recorded, at most. */
const writeEveryMs = 250;

/** Hosts that a run has not finished so far. */
interface Left {
  readonly failed: readonly string[];
  readonly unfinished: readonly string[];
}

/**
 * Records which hosts of a run have failed and which are unfinished, while it runs. A killed run lists at most a host too
 * many as unfinished.
 */
export class LeftHosts {
  readonly #write: (left: Left) => void;
  readonly #now: () => number;
  /** Number of plays that each host has not finished yet. */
  readonly #plays: Map<string, number>;
  readonly #failed = new Set<string>();
  #written: number;

  /** `plays`: the hosts of each play. Records at once that all of them are unfinished. */
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

  /** Takes the events in order. Throws what writing throws. */
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
