import type { RunEvent } from "../../core/events.ts";
import { type Foldable, likeness } from "./alike.ts";
import { mergeLooks } from "./looks.ts";
import { first, last } from "./order.ts";
import { Step } from "./step.ts";

/** A result longer held back than this is told of for the hosts that have it. Milliseconds. */
export const heldMs = 10_000;

/** The hosts that an event is told of for. */
export interface Alike {
  readonly hosts: readonly string[];
  /** Other hosts of the play that are still in it: of them something else is true, or nothing yet. */
  readonly others: readonly string[];
  /** The longest time that the task took on any of them, in milliseconds. */
  readonly longestMs: number;
  /** The host for which this was told of in full before. */
  readonly like?: string;
  /** Only the hosts' names differ, each in its own result. */
  readonly isByName: boolean;
}

/** Something to be told of: an event of one host or, with `alike`, of several. */
export interface Told {
  readonly event: RunEvent;
  readonly alike?: Alike;
}

/** What folding needs to know of how events are shown. */
export interface Shown {
  /** False for events of which nothing is shown. */
  readonly isShown: (event: RunEvent) => boolean;
  /** All that is shown of an event, as a diff, without the host's name: what looks alike here is told of together. */
  readonly look: (event: Foldable) => string;
}

/**
 * Tells of equal results once for all hosts that have them. A result waits until every host of the play has passed the
 * task, or for `heldMs`; failures, retries and warnings are told of at once, and then once more for all further hosts that
 * have the same. Whatever comes in is told of in the end.
 */
export class Fold {
  readonly #shown: Shown;
  /** Where each host is: the id of the last task that ended. */
  readonly #at = new Map<string, string>();
  #hosts: readonly string[] = [];
  readonly #gone = new Set<string>();
  #steps: Step[] = [];
  /** What was told of in full, and for which host. */
  readonly #told = new Map<string, string>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Takes an event that happened at `now`, in milliseconds; gives what is to be told of. */
  take(event: RunEvent, now: number): Told[] {
    switch (event.type) {
      case "playStarted": {
        const rest = this.rest();
        this.#hosts = event.hosts;
        for (const part of [this.#at, this.#gone, this.#told]) part.clear();
        return [...rest, { event }];
      }
      case "runFinished":
        return [...this.rest(), { event }];
      case "hostDone":
        return this.#pass(event.host, last);
      case "taskStarted":
        // The retry said that it would be.
        return this.#hosts.length > 1 ? [] : [{ event }];
      case "taskRetry":
      case "hostStopped":
      case "rescued":
        return this.#foldable(event, now);
      case "taskFinished": {
        const told = this.#foldable(event, now);
        return [...told, ...this.#pass(event.host, event.task.id)];
      }
      case "warning":
        return event.host === undefined ? [{ event }] : this.#foldable({ ...event, host: event.host }, now);
      default:
        return [{ event }];
    }
  }

  /** What was held back for too long. */
  due(now: number): Told[] {
    return this.#tell((step) => now - step.since >= heldMs);
  }

  /** All that is held back. */
  rest(): Told[] {
    return this.#tell(() => true);
  }

  #foldable(event: Foldable, now: number): Told[] {
    if (event.type === "hostStopped") this.#lose(event.host);
    if (!this.#shown.isShown(event)) return this.#complete();
    const isLoud = event.type !== "rescued" && (event.type !== "taskFinished" || event.error !== undefined);
    const key = likeness(event, isLoud);
    const isNew = isLoud && !this.#told.has(key);
    if (isNew) this.#told.set(key, event.host);
    else this.#step(event, now).add(key, event);
    return [...(isNew ? [{ event }] : []), ...this.#complete()];
  }

  /** Where an event waits: a host that was lost for all others to have ended a task, a warning for the end of the play. */
  #step(event: Foldable, now: number): Step {
    const place = this.#placeOf(event);
    const known = this.#steps.find((step) => step.place === place);
    if (known !== undefined) return known;
    const hosts = this.#hosts.filter((host) => !this.#gone.has(host));
    const step = new Step(place, now, hosts, this.#at);
    this.#steps.push(step);
    return step;
  }

  #placeOf(event: Foldable): string {
    if ("task" in event) return event.task.id;
    if (event.type === "hostStopped") return first;
    return event.type === "rescued" ? (this.#at.get(event.host) ?? first) : last;
  }

  #pass(host: string, id: string): Told[] {
    this.#at.set(host, id);
    for (const step of this.#steps) step.pass(host, id);
    return this.#complete();
  }

  #lose(host: string): void {
    this.#gone.add(host);
    for (const step of this.#steps) step.lose(host);
  }

  #complete(): Told[] {
    return this.#tell((step) => step.isComplete);
  }

  #tell(isReady: (step: Step) => boolean): Told[] {
    const ready = this.#steps.filter(isReady);
    if (ready.length === 0) return [];
    this.#steps = this.#steps.filter((step) => !ready.includes(step));
    return ready.flatMap((step) => this.#groups(step));
  }

  #groups(step: Step): Told[] {
    const groups = mergeLooks(step.groups, this.#shown.look);
    return groups.map(({ key, event, hosts, longestMs, isByName }) => {
      const like = this.#told.get(key);
      if (like === undefined) this.#told.set(key, event.host);
      if (hosts.length === 1 && like === undefined) return { event };
      const own = new Set(hosts);
      const others = this.#hosts.filter((host) => !own.has(host) && !this.#gone.has(host));
      return { event, alike: { hosts, others, longestMs, isByName, ...(like !== undefined && { like }) } };
    });
  }
}
