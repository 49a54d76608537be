import type { Mode, RunEvent } from "../../core/events.ts";
import { errorLine } from "../text/error-block.ts";
import type { Failed } from "./recap-failures.ts";
import { slowest, type TimedTask } from "../profile.ts";
import { deciderOf } from "../text/undecided-text.ts";
import { taskName } from "../text/words.ts";
import { widthOf } from "../text/width.ts";

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/**
 * In check mode, returns what a task would wait for. The text leaves out what the task's title already says, so it may
 * be empty. Unlike other skipped tasks, such a task gets its own line.
 */
export function waitsFor({ because, task }: Event<"taskFinished">): string | undefined {
  const [, thing, state, found = ""] = /^would wait for (.*?)( to .*?)?(; now: .*)?$/s.exec(because ?? "") ?? [];
  if (thing === undefined) return undefined;
  // A title may be a sentence that already says this: "default/web is restored", "Harvester has applied the setting".
  const object = state?.replace(/^ to \S+/, "") ?? "";
  const says = task.title.startsWith(`${thing} is `) || (object !== "" && task.title.endsWith(object));
  if (state !== undefined && task.title.startsWith(`${thing} `) && says) return found;
  // The title may already name the condition that the task waits for.
  return state !== undefined && task.title.endsWith(` ${thing}`)
    ? `${state.trimStart()}${found}`
    : `for ${thing}${state ?? ""}${found}`;
}

/** Collects from events the data for the end of a report. */
export class RunRecord {
  readonly #shown = new Set<string>();
  readonly #verbose: boolean;
  mode: Mode = "apply";
  /** The width of the host column, in characters. */
  width = 0;
  warnings = 0;
  /** In check mode, for each host: the number of tasks that would wait. The events count these tasks as ok. */
  readonly waits = new Map<string, number>();
  /** The hosts to which furrow has connected. */
  readonly connected = new Set<string>();
  /** The hosts on which a step has started. */
  readonly begun = new Set<string>();
  /** The command that completes what this run left unfinished, if any. */
  rerun: string | undefined;
  /** Failures that were neither ignored nor rescued, in the order they happened. */
  readonly failures: Failed[] = [];
  /** The titles of the earlier tasks that undecided tasks depend on: one entry per undecided task and host. */
  readonly dependencies: string[] = [];
  /** The finished tasks; if there are more than 200, only the slowest ones. */
  timed: TimedTask[] = [];

  constructor(verbose: boolean) {
    this.#verbose = verbose;
  }

  /** Records an event; must be called before the event is shown. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "runStarted": {
        this.mode = event.mode;
        this.rerun = event.rerun;
        const longest = Math.max(0, ...event.hosts.map(widthOf));
        const counted = event.hosts.length > 1 && !this.#verbose ? `${event.hosts.length} hosts`.length : 0;
        this.width = Math.min(24, Math.max(longest, counted));
        break;
      }
      case "hostConnected":
        this.connected.add(event.host);
        break;
      case "stepStarted":
        this.begun.add(event.host);
        break;
      case "taskFinished":
        return this.#ended(event);
      case "hostStopped":
        if (this.isShown(event))
          this.failures.push({ host: event.host, task: event.error.failure.where?.task, error: event.error });
        break;
      case "rescued":
        return this.#madeGood(event);
      case "warning":
        // After a lost connection, another warning or the failure follows.
        if (event.connection !== "lost") this.warnings += 1;
        break;
      default:
    }
  }

  #ended(event: Event<"taskFinished">): void {
    const { host, task, error, ignored, dependsOn, durationMs } = event;
    if (event.outcome === "ok" && waitsFor(event) !== undefined) this.waits.set(host, (this.waits.get(host) ?? 0) + 1);
    this.timed.push({ host, title: taskName(task), ms: durationMs });
    if (this.timed.length > 200) this.timed = slowest(this.timed);
    if (dependsOn !== undefined) this.dependencies.push(deciderOf(dependsOn));
    if (error === undefined) return;
    this.#shown.add(`${host} ${errorLine(error)}`);
    if (!ignored) this.failures.push({ host, task: taskName(task), error });
  }

  /** Removes rescued failures, because they do not count as failures of the run. */
  #madeGood({ host, failures }: Event<"rescued">): void {
    for (let left = failures; left > 0; left -= 1) {
      const at = this.failures.findLastIndex((failed) => failed.host === host);
      if (at >= 0) this.failures.splice(at, 1);
    }
  }

  /**
   * False for an event that is not shown: an ok or skipped task unless `verbose` is on, or an error that was shown
   * before.
   */
  isShown(event: RunEvent): boolean {
    if (event.type === "hostStopped") return !this.#shown.has(`${event.host} ${errorLine(event.error)}`);
    if (event.type !== "taskFinished" || this.#verbose) return true;
    const { outcome, notes } = event;
    return outcome !== "skipped" && (outcome !== "ok" || notes.length > 0 || waitsFor(event) !== undefined);
  }
}
