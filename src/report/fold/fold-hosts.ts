import type { RunEvent } from "../../core/events.ts";
import { type Foldable, Grouped, likenesses } from "./alike.ts";
import { type Looks, mergeLooks } from "./looks.ts";
import { arrivalsOf, type Group, hostsOf, longestMsOf } from "./group.ts";
import { isLate, isOfWarnings, withEarlier, withoutBlocked } from "./ready.ts";
import { comparePlaces, first, inOrder, last } from "./order.ts";
import { fewHosts } from "./short-names.ts";
import { Step } from "./step.ts";

/** The hosts that an event is shown for. */
export interface Alike {
  readonly hosts: readonly string[];
  /** The other hosts of the play: they have a different result, or none yet. */
  readonly others: readonly string[];
  /** True if all other hosts stopped at or before the task. */
  readonly haveOthersStopped: boolean;
  /** The longest duration of the task on any of these hosts, in milliseconds. */
  readonly longestMs: number;
  /** The host for which the same event was already shown in full. */
  readonly like?: string;
  /** True if the results differ only in the host name. */
  readonly isByName: boolean;
  /** True if the results look the same but their full diffs differ. */
  readonly isByDiff: boolean;
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
  /** Events that look the same are grouped. */
  readonly looks: Looks;
}

/**
 * Shows equal results once for all hosts that have them. A result is held back until every host in the play has passed
 * the task, or until no further host passes it for a while (`heldMs`). Failures, retries and warnings are shown
 * immediately, and once more for all further hosts with the same event. The lines of each host are in the order in
 * which things happened, and no event is lost.
 */
export class Fold {
  readonly #shown: Shown;
  /** The position of each host: the id of the last task that it finished. */
  readonly #at = new Map<string, string>();
  #hosts: readonly string[] = [];
  readonly #gone = new Set<string>();
  /** The hosts whose last task failed. */
  readonly #failed = new Set<string>();
  /** The hosts to which the latest connection attempt has failed. */
  readonly #mute = new Set<string>();
  #steps: Step[] = [];
  #arrival = 0;
  /** For each event that was shown immediately and in full: the first of its keys. */
  readonly #loud = new Grouped<string>();
  /** The host for which each event was shown in full, by the event's key. */
  readonly #told = new Map<string, string>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Receives an event that happened at `now`, in milliseconds; returns the events to show. */
  take(event: RunEvent, now: number): Told[] {
    switch (event.type) {
      case "playStarted":
      case "batchStarted": {
        const rest = this.rest();
        this.#hosts = event.hosts;
        for (const part of [this.#at, this.#gone, this.#failed, this.#told, this.#loud]) part.clear();
        return [...rest, { event }];
      }
      case "runFinished":
        return [...this.rest(), { event }];
      case "connectRetry":
        this.#mute.add(event.host);
        return [{ event }];
      case "hostConnected":
        this.#mute.delete(event.host);
        return [{ event }];
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
        const hasFailed = (event.outcome === "failed" && !event.ignored) || event.outcome === "unreachable";
        this.#failed[hasFailed ? "add" : "delete"](event.host);
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
    const late = this.#steps.filter((step) => isLate(step, now, this.#mute));
    return this.#tell([...withoutBlocked(late, this.#steps), ...late.filter(isOfWarnings)]);
  }

  /** Returns all held-back events. */
  rest(): Told[] {
    return this.#tell(this.#steps);
  }

  #foldable(event: Foldable, now: number): Told[] {
    if (event.type === "hostStopped") this.#lose(event.host);
    if (!this.#shown.isShown(event)) return this.#complete();
    const isLoud = event.type !== "rescued" && (event.type !== "taskFinished" || event.error !== undefined);
    const keys = likenesses(event, isLoud);
    const key = (isLoud ? this.#loud.find(keys) : undefined) ?? keys[0] ?? "";
    if (isLoud) this.#loud.add(keys, key);
    const isNew = isLoud && !this.#told.has(key);
    this.#arrival += 1;
    if (!isNew) {
      this.#step(event, now).add(key, event, { now, arrival: this.#arrival });
      return this.#complete();
    }
    const before = this.#heldOf(event.host);
    this.#told.set(key, event.host);
    return [...before, { event }, ...this.#complete()];
  }

  /**
   * Returns what is held back for a host and must be shown before the host's next event. In a large play, results that
   * other hosts share stay on their shared line, which does not name the host.
   */
  #heldOf(host: string): Told[] {
    const isFleet = this.#hosts.length > fewHosts;
    const held = this.#steps.flatMap((step) => step.take(host, !isFleet).map((one) => ({ ...one, place: step.place })));
    this.#steps = this.#steps.filter((step) => !step.isEmpty);
    return held
      .toSorted((a, b) => a.arrival - b.arrival)
      .map(({ key, place, ...one }) =>
        this.#group({ key, event: one.event, all: [one], isByName: false, isByDiff: false }, place),
      );
  }

  /**
   * Returns the step that holds an event back. The event of a stopped host is held back until the other hosts have
   * reached the same task; a warning is held back for `warningHeldMs`.
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
    return event.type === "warning" ? last : (this.#at.get(event.host) ?? first);
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

  /**
   * False if the host failed or stopped at or before this place, because such a host is reported on lines of its own. A
   * failure takes effect immediately, because the event that says that the host has stopped may arrive after the other
   * hosts' results.
   */
  #hasReached(host: string, place: string): boolean {
    const isOut = this.#gone.has(host) || this.#failed.has(host);
    return !isOut || comparePlaces(this.#at.get(host) ?? "", place) > 0;
  }

  #complete(): Told[] {
    return this.#tell(this.#steps.filter((step) => step.isComplete));
  }

  /**
   * Returns the events of these steps, and before them the events of all steps that hold back earlier events of the
   * same hosts.
   */
  #tell(ready: readonly Step[]): Told[] {
    if (ready.length === 0) return [];
    const all = withEarlier(ready, this.#steps);
    this.#steps = this.#steps.filter((step) => !all.includes(step));
    return inOrder(all, (step) => step.arrivals).flatMap((step) => this.#groups(step));
  }

  #groups(step: Step): Told[] {
    const groups = mergeLooks(step.groups, this.#shown.looks);
    return inOrder(groups, ({ all }) => arrivalsOf(all)).map((group) => this.#group(group, step.place));
  }

  #group(group: Group, place: string): Told {
    const { key, event, isByName, isByDiff } = group;
    const hosts = hostsOf(group);
    const like = isByDiff ? undefined : this.#told.get(key);
    if (like === undefined && !isByDiff) this.#told.set(key, event.host);
    if (hosts.length === 1 && like === undefined) return { event };
    const own = new Set(hosts);
    const others = this.#hosts.filter((host) => !own.has(host));
    const haveOthersStopped = others.every((host) => !this.#hasReached(host, place));
    const longestMs = longestMsOf(group);
    const alike = { hosts, others, haveOthersStopped, longestMs, isByName, isByDiff };
    return { event, alike: { ...alike, ...(like !== undefined && { like }) } };
  }
}
