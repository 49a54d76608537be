import type { Mode, RunEvent } from "../../core/events.ts";
import { errorLine } from "../text/error-block.ts";
import type { Failed } from "./recap-failures.ts";
import { slowest, type TimedTask } from "../profile.ts";
import { taskName } from "../text/words.ts";

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** What a wait would wait for, in a check: worth a line, where why a condition left a task out is not. */
export function waitsFor({ because }: Event<"taskFinished">): string | undefined {
  return /^would wait (for .*)$/s.exec(because ?? "")?.[1];
}

/** What the end of a report says of the whole run, gathered event by event. */
export class RunRecord {
  readonly #shown = new Set<string>();
  readonly #verbose: boolean;
  mode: Mode = "apply";
  /** Width of the column of hosts. */
  width = 0;
  warnings = 0;
  /** The command that does what this run leaves undone, where there is one. */
  rerun: string | undefined;
  /** Failures that were neither ignored nor made good, in the order they came. */
  readonly failures: Failed[] = [];
  /** What undecided tasks depend on: titles of earlier tasks, one for each task and host. */
  readonly dependencies: string[] = [];
  /** The slowest tasks so far, and some more. */
  timed: TimedTask[] = [];

  constructor(verbose: boolean) {
    this.#verbose = verbose;
  }

  /** Takes an event before it is shown. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "runStarted": {
        this.mode = event.mode;
        this.rerun = event.rerun;
        const longest = Math.max(0, ...event.hosts.map((host) => host.length));
        const counted = event.hosts.length > 1 && !this.#verbose ? `${event.hosts.length} hosts`.length : 0;
        this.width = Math.min(24, Math.max(longest, counted));
        break;
      }
      case "taskFinished":
        return this.#ended(event);
      case "hostStopped":
        if (this.isShown(event))
          this.failures.push({ host: event.host, task: event.error.failure.where?.task, error: event.error });
        break;
      case "rescued":
        return this.#madeGood(event);
      case "warning":
        this.warnings += 1;
        break;
      default:
    }
  }

  #ended({ host, task, error, ignored, dependsOn, durationMs }: Event<"taskFinished">): void {
    this.timed.push({ host, title: taskName(task), ms: durationMs });
    if (this.timed.length > 200) this.timed = slowest(this.timed);
    if (dependsOn !== undefined) this.dependencies.push(dependsOn.task);
    if (error === undefined) return;
    this.#shown.add(`${host} ${errorLine(error)}`);
    if (!ignored) this.failures.push({ host, task: taskName(task), error });
  }

  /** What a rescue has made good is no failure of the run. */
  #madeGood({ host, failures }: Event<"rescued">): void {
    for (let left = failures; left > 0; left -= 1) {
      const at = this.failures.findLastIndex((failed) => failed.host === host);
      if (at >= 0) this.failures.splice(at, 1);
    }
  }

  /** False for a task that was right or left out, where nobody asked for those, and for an error that was shown before. */
  isShown(event: RunEvent): boolean {
    if (event.type === "hostStopped") return !this.#shown.has(`${event.host} ${errorLine(event.error)}`);
    if (event.type !== "taskFinished" || this.#verbose) return true;
    const { outcome, notes } = event;
    return outcome !== "skipped" && (outcome !== "ok" || notes.length > 0 || waitsFor(event) !== undefined);
  }
}
