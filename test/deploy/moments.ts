import type { Event } from "../torture/controller.ts";

/** A task of a run, in milliseconds since the run began. */
export interface TaskTime {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly changed: boolean;
}

/**
 * A moment in a run: the start of the n-th program on the host, or a time after a task has begun. It is identified by
 * what the run is doing, because a busy machine takes longer for the same work.
 *
 * In both cases, the moment is reached at the latest when the task `until` finishes, because this run may poll less
 * often than the run from which the moment was drawn.
 */
export type Moment =
  | { readonly start: number; readonly until: string }
  | { readonly afterMs: number; readonly until: string };

/** The run from which a moment is drawn. */
export interface Calm {
  readonly tasks: readonly TaskTime[];
  /** When each program started on the host, in milliseconds since the run began. */
  readonly startMs: readonly number[];
}

/**
 * Draws a moment that every later run reaches: it comes at or before the end of the last task that changed something.
 * If that task is the last one of the run, furrow may end before a signal reaches it, so the moment is in the first
 * half of the task.
 *
 * @param random returns integers from 0 up to, but not including, its argument
 */
export function drawMoment({ tasks, startMs }: Calm, random: (limit: number) => number): Moment {
  const last = tasks.findLast(({ changed }) => changed) ?? tasks.at(-1);
  if (last === undefined) throw new Error("the undisturbed run has no task");
  const isFinal = last === tasks.at(-1);
  const until = isFinal ? tasks.at(-2) : last;
  const starts = startMs.filter((ms) => ms <= (until?.endMs ?? 0)).length;
  if (random(2) === 0 && until !== undefined && starts > 0) return { start: 1 + random(starts), until: until.name };
  const first = tasks[0]?.startMs ?? 0;
  const end = isFinal ? (last.startMs + last.endMs) / 2 : last.endMs;
  const ms = first + random(Math.max(1, Math.round(end - first)));
  const task = tasks.findLast((one) => one.startMs <= ms) ?? last;
  return { afterMs: ms - task.startMs, until: task.name };
}

/** The name of the task that an event is about, which is unique in a run; undefined for other events. */
export function taskOf(event: Event): string | undefined {
  const title = (event["task"] as { readonly title?: string } | undefined)?.title;
  return title === undefined ? undefined : `${String(event["host"])}: ${title}`;
}

/** Waits until a run reaches a given moment, and then calls `act`. */
export class MomentWatch {
  readonly #moment: Moment;
  #act: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #starts = 0;

  constructor(moment: Moment, act: () => void) {
    this.#moment = moment;
    this.#act = act;
  }

  /** Call this for each program that starts on the host. */
  started(): void {
    this.#starts += 1;
    if ("start" in this.#moment && this.#starts >= this.#moment.start) this.#reached();
  }

  /** Call this for each event of the run. */
  heard(event: Event): void {
    if (taskOf(event) !== this.#moment.until) return;
    if (event.type === "taskFinished") this.#reached();
    if (event.type === "taskStarted" && "afterMs" in this.#moment)
      this.#timer ??= setTimeout(() => this.#reached(), this.#moment.afterMs);
  }

  /** Call this when the run has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#act = undefined;
  }

  #reached(): void {
    const act = this.#act;
    this.end();
    act?.();
  }
}
