import type { Foldable } from "./alike.ts";
import type { Group } from "./looks.ts";
import { comparePlaces } from "./order.ts";

/** The results of one task, held back until all hosts have passed it. */
export class Step {
  /** The id of the task. */
  readonly place: string;
  /** When the first result arrived, in milliseconds. */
  readonly since: number;
  readonly #waiting: Set<string>;
  readonly #groups = new Map<string, Group>();

  /** `at` is the id of the last finished task of each host. */
  constructor(place: string, since: number, hosts: readonly string[], at: ReadonlyMap<string, string>) {
    this.place = place;
    this.since = since;
    this.#waiting = new Set(hosts.filter((host) => comparePlaces(at.get(host) ?? "", place) < 0));
  }

  /** Adds a result; results with the same key form a group. */
  add(key: string, event: Foldable): void {
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

  /** True once no host will add a result. */
  get isComplete(): boolean {
    return this.#waiting.size === 0;
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }
}
