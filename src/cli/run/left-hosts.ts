import type { RunEvent } from "../../core/events.ts";
import { now as nowInWorld } from "../../core/world.ts";

/** The minimum interval, in milliseconds, between writes of the record of finished hosts. */
const writeEveryMs = 250;

/** The failed and the unfinished hosts in a run. */
interface Left {
  readonly failed: readonly string[];
  readonly unfinished: readonly string[];
}

/**
 * Records, during a run, which hosts have failed and which are unfinished. If the run is killed, a host that had just
 * finished may still be listed as unfinished.
 */
export class LeftHosts {
  readonly #write: (left: Left) => void;
  readonly #now: () => number;
  /** The number of plays that each host has not finished yet. */
  readonly #plays: Map<string, number>;
  readonly #failed = new Set<string>();
  #written: number;

  /** `plays`: the hosts of each play. Immediately records all these hosts as unfinished. */
  constructor(plays: readonly (readonly string[])[], write: (left: Left) => void, now: () => number = nowInWorld) {
    this.#write = write;
    this.#now = now;
    this.#plays = new Map();
    for (const host of plays.flat()) this.#plays.set(host, (this.#plays.get(host) ?? 0) + 1);
    this.#written = now();
    this.#save();
  }

  /** Handles an event; events must arrive in order. Throws the errors that `write` throws. */
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

/**
 * Adds the hosts in an earlier record to those that this run left failed or unfinished, if they are among the run's
 * hosts (`covered`). A run that is limited to some tags, or starts at a later task, skips the other tasks, so a host
 * that was unfinished before is still unfinished.
 */
export function withEarlier(left: Left, earlier: Left | undefined, covered: readonly string[]): Left {
  if (earlier === undefined) return left;
  const both = (kind: keyof Left): string[] => [
    ...new Set([...earlier[kind].filter((host) => covered.includes(host)), ...left[kind]]),
  ];
  return { failed: both("failed"), unfinished: both("unfinished") };
}
