import type { Foldable } from "./alike.ts";
import type { Group } from "./looks.ts";
import { comparePlaces } from "./order.ts";

/** The results of one task, which are held back until all hosts have passed the task. */
export class Step {
  /** The id of the task. */
  readonly place: string;
  /** The time at which the first result arrived, in milliseconds. */
  readonly since: number;
  /** The time at which the latest result arrived, in milliseconds. */
  latest: number;
  readonly #waiting: Set<string>;
  readonly #groups = new Map<string, Group>();

  /** `at`: for each host, the id of the last task that it finished. */
  constructor(place: string, since: number, hosts: readonly string[], at: ReadonlyMap<string, string>) {
    this.place = place;
    this.since = since;
    this.latest = since;
    this.#waiting = new Set(hosts.filter((host) => comparePlaces(at.get(host) ?? "", place) < 0));
  }

  /** Adds a result that arrived at `now`; results with the same key form a group. */
  add(key: string, event: Foldable, now: number): void {
    this.latest = now;
    const ms = event.type === "taskFinished" ? event.durationMs : 0;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { key, event, hosts: [event.host], longestMs: ms, isByName: false });
    else {
      group.hosts.push(event.host);
      group.longestMs = Math.max(group.longestMs, ms);
    }
  }

  /** Records that a host finished the task with this id. */
  pass(host: string, id: string): void {
    if (comparePlaces(id, this.place) >= 0) this.#waiting.delete(host);
  }

  /** Records that a host failed or became unreachable. */
  lose(host: string): void {
    this.#waiting.delete(host);
  }

  /** True once no further host can add a result. */
  get isComplete(): boolean {
    return this.#waiting.size === 0;
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }
}
