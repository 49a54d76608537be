import type { Foldable } from "./alike.ts";
import type { Group } from "./looks.ts";
import { comparePlaces } from "./order.ts";

/** The results of one task that are held back until all hosts have passed it. */
export class Step {
  /** The id of the task. */
  readonly place: string;
  /** When the first result came, in milliseconds. */
  readonly since: number;
  readonly #waiting: Set<string>;
  readonly #groups = new Map<string, Group>();

  /** `at`: the last task that ended on each of the hosts. */
  constructor(place: string, since: number, hosts: readonly string[], at: ReadonlyMap<string, string>) {
    this.place = place;
    this.since = since;
    this.#waiting = new Set(hosts.filter((host) => comparePlaces(at.get(host) ?? "", place) < 0));
  }

  /** Takes a result; what has the same key is one. */
  add(key: string, event: Foldable): void {
    const ms = event.type === "taskFinished" ? event.durationMs : 0;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { key, event, hosts: [event.host], longestMs: ms, isByName: false });
    else {
      group.hosts.push(event.host);
      group.longestMs = Math.max(group.longestMs, ms);
    }
  }

  /** A host has ended the task of this id. */
  pass(host: string, id: string): void {
    if (comparePlaces(id, this.place) >= 0) this.#waiting.delete(host);
  }

  /** A host failed or was lost. */
  lose(host: string): void {
    this.#waiting.delete(host);
  }

  /** True once no host will add to it. */
  get isComplete(): boolean {
    return this.#waiting.size === 0;
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }
}
