import type { Foldable } from "./alike.ts";
import { arrivalsOf, type Group, type Held } from "./group.ts";
import { type Arrivals, comparePlaces } from "./order.ts";

/** The results of one task, which are held back until all hosts have passed the task. */
export class Step {
  /** The id of the task. */
  readonly place: string;
  /** The time at which the first result arrived, in milliseconds. */
  readonly since: number;
  /** The time at which the latest result arrived, in milliseconds. */
  latest: number;
  readonly #waiting: Set<string>;
  readonly #hosts: number;
  readonly #groups = new Map<string, Held[]>();

  /** `at`: for each host, the id of the last task that it finished. */
  constructor(place: string, since: number, hosts: readonly string[], at: ReadonlyMap<string, string>) {
    this.place = place;
    this.since = since;
    this.latest = since;
    this.#hosts = hosts.length;
    this.#waiting = new Set(hosts.filter((host) => comparePlaces(at.get(host) ?? "", place) < 0));
  }

  /**
   * Adds a result that arrived at `now`; results with the same key form a group. `arrival`: the event's number among
   * all events.
   */
  add(key: string, event: Foldable, { now, arrival }: { readonly now: number; readonly arrival: number }): void {
    this.latest = now;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, [{ event, arrival }]);
    else group.push({ event: sharing(event, group[0]?.event), arrival });
  }

  /** Removes and returns what is held back for a host; without `shared`, only results that no other host has. */
  take(host: string, shared: boolean): (Held & { readonly key: string })[] {
    const taken: (Held & { readonly key: string })[] = [];
    for (const [key, all] of this.#groups) {
      const own = all.filter(({ event }) => event.host === host);
      const others = all.filter(({ event }) => event.host !== host);
      if (own.length === 0 || (others.length > 0 && !shared)) continue;
      taken.push(...own.map((held) => ({ ...held, key })));
      if (others.length === 0) this.#groups.delete(key);
      else this.#groups.set(key, others);
    }
    return taken;
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

  /** Counts all hosts, and the hosts that can still add a result and are not `mute`. */
  awaited(mute: ReadonlySet<string>): { readonly missing: number; readonly hosts: number } {
    return { missing: [...this.#waiting].filter((host) => !mute.has(host)).length, hosts: this.#hosts };
  }

  /** True if nothing is held back. */
  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  get groups(): readonly Group[] {
    return [...this.#groups].flatMap(([key, all]) => {
      const [first] = all;
      return first === undefined ? [] : [{ key, event: first.event, all, isByName: false, isByDiff: false }];
    });
  }

  /** For each host, the number of its first event. */
  get arrivals(): Arrivals {
    return arrivalsOf([...this.#groups.values()].flat());
  }
}

/** Within a group, results without an error are equal, so they share their changes, which may be large. */
function sharing(event: Foldable, first: Foldable | undefined): Foldable {
  if (event.type !== "taskFinished" || first?.type !== "taskFinished" || event.error !== undefined) return event;
  return { ...event, changes: first.changes, ...(first.intends !== undefined && { intends: first.intends }) };
}
