import type { RunEvent } from "../../core/events.ts";
import { now } from "../../core/world.ts";
import type { Knowledge } from "./knowledge.ts";
import { currentMs, type Moment, type RunActivity } from "./run-activity.ts";

/**
 * Decides which values one host of a batch must read again. A task must see the hosts as the task before it left them,
 * and a host may change while a run waits. Values are forgotten when the next task on their host begins.
 */
export class Freshness {
  readonly #activity: RunActivity;
  /** The number of times that all values have expired. */
  #expiries = 0;
  readonly #seen = new WeakMap<Knowledge, number>();
  /** A value that was read before this moment does not count as current. */
  #since: Moment;

  /** `since`: the moment at which the known values were current. */
  constructor(activity: RunActivity, since: Moment = activity.now()) {
    this.#activity = activity;
    this.#since = since;
  }

  /** Records an event from one of this host's tasks. */
  note(event: RunEvent): void {
    const hasActed = event.type === "taskFinished" && !["ok", "skipped"].includes(event.outcome);
    if (hasActed || event.type === "stepStarted") this.#activity.note();
  }

  /** Records that the host's tasks have waited: everything must be read again, on every host. */
  waited(): void {
    this.#activity.note();
    this.#expire();
  }

  /**
   * Expires all values if the run has done something since they were read, or if much time has passed. If not, keeps
   * them, so that a rerun with nothing to change reads each host once.
   */
  expireIfActive(): void {
    if (this.#activity.isSince(this.#since)) this.#expire();
  }

  #expire(): void {
    this.#expiries += 1;
    this.#since = this.#activity.now();
  }

  /** Begins a task on a host: forgets what is known about the host but no longer current. */
  begin(knowledge: Knowledge): void {
    if ((this.#seen.get(knowledge) ?? 0) < this.#expiries) knowledge.forget(["everything"]);
    this.#seen.set(knowledge, this.#expiries);
    knowledge.beginTask(this, now() - currentMs);
  }
}
