import type { RunEvent } from "../../core/events.ts";
import { type Foldable, Grouped, likenesses } from "./alike.ts";
import { mergeLooks } from "./looks.ts";
import { comparePlaces, first, last } from "./order.ts";
import { Step } from "./step.ts";

/**
 * If no further host finishes a task for this many milliseconds, the results that have arrived so far are shown: the
 * other hosts may hang.
 */
export const heldMs = 10_000;
/** The longest time, in milliseconds, for which results are held back, even if hosts continue to finish the task. */
export const longestHeldMs = 60_000;

/** The hosts that an event is shown for. */
export interface Alike {
  readonly hosts: readonly string[];
  /**
   * The other hosts of the play: they have a different result, or none yet. Empty if all of them stopped before or at
   * the task.
   */
  readonly others: readonly string[];
  /** The longest duration of the task on any of these hosts, in milliseconds. */
  readonly longestMs: number;
  /** The host for which the same event was already shown in full. */
  readonly like?: string;
  /** True if the results differ only in the host name. */
  readonly isByName: boolean;
}

/** An event to show: for one host or, with `alike`, for several. */
export interface Told {
  readonly event: RunEvent;
  readonly alike?: Alike;
}

/** The properties of an event's display that folding depends on. */
export interface Shown {
  /** False for events that are not shown. */
  readonly isShown: (event: RunEvent) => boolean;
  /**
   * Returns everything that is shown for an event, with full diffs but without the host name. Events that look the same
   * are grouped.
   */
  readonly look: (event: Foldable) => string;
}

/**
 * Shows equal results once for all hosts that have them. A result is held back until every host in the play has passed
 * the task, or until hosts stop arriving (`heldMs`). Failures, retries and warnings are shown immediately, and once
 * more for all further hosts with the same event. No event is lost.
 */
export class Fold {
  readonly #shown: Shown;
  /** The position of each host: the id of the last task that it finished. */
  readonly #at = new Map<string, string>();
  #hosts: readonly string[] = [];
  readonly #gone = new Set<string>();
  #steps: Step[] = [];
  /** For each loud event that was shown in full: the first of its keys. */
  readonly #loud = new Grouped<string>();
  /** The host for which each event was shown in full, by the event's key. */
  readonly #told = new Map<string, string>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Receives an event that happened at `now`, in milliseconds; returns the events to show. */
  take(event: RunEvent, now: number): Told[] {
    switch (event.type) {
      case "playStarted": {
        const rest = this.rest();
        this.#hosts = event.hosts;
        for (const part of [this.#at, this.#gone, this.#told, this.#loud]) part.clear();
        return [...rest, { event }];
      }
      case "runFinished":
        return [...this.rest(), { event }];
      case "hostDone":
        return this.#pass(event.host, last);
      case "taskStarted":
        // With several hosts, `taskRetry` has already announced the new attempt.
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

  /** Returns the events that have been held back for too long. */
  due(now: number): Told[] {
    return this.#tell(({ since, latest }) => now - latest >= heldMs || now - since >= longestHeldMs);
  }

  /** Returns all held-back events. */
  rest(): Told[] {
    return this.#tell(() => true);
  }

  #foldable(event: Foldable, now: number): Told[] {
    if (event.type === "hostStopped") this.#lose(event.host);
    if (!this.#shown.isShown(event)) return this.#complete();
    const isLoud = event.type !== "rescued" && (event.type !== "taskFinished" || event.error !== undefined);
    const keys = likenesses(event, isLoud);
    const key = (isLoud ? this.#loud.find(keys) : undefined) ?? keys[0] ?? "";
    if (isLoud) this.#loud.add(keys, key);
    const isNew = isLoud && !this.#told.has(key);
    if (isNew) this.#told.set(key, event.host);
    else this.#step(event, now).add(key, event, now);
    return [...(isNew ? [{ event }] : []), ...this.#complete()];
  }

  /**
   * Returns the step that holds an event back. The event of a stopped host is held back until the other hosts finish
   * any task; a warning is held back until the play ends.
   */
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

  /** True unless the host stopped before or at this place: a stopped host is reported in its own lines. */
  #hasReached(host: string, place: string): boolean {
    return !this.#gone.has(host) || comparePlaces(this.#at.get(host) ?? "", place) > 0;
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
      const missing = this.#hosts.filter((host) => !own.has(host));
      // A host that stopped earlier is not an exception by itself, but a line that names exceptions names them all.
      const others = missing.some((host) => this.#hasReached(host, step.place)) ? missing : [];
      return { event, alike: { hosts, others, longestMs, isByName, ...(like !== undefined && { like }) } };
    });
  }
}
