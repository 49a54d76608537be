import type { FurrowError } from "../core/errors.ts";
import type { Outcome, RunEvent } from "../core/events.ts";

/** How one task finished on one host. */
export interface SimulatedTask {
  readonly host: string;
  /** The task's title as it appears in reports: `file /etc/motd`. */
  readonly title: string;
  readonly outcome: Outcome;
  /** Descriptions of the steps that the task took, one line each. */
  readonly steps: readonly string[];
  /** The ids of the facts that changed, each with the parts that differed. */
  readonly changes: Readonly<Record<string, readonly string[]>>;
  readonly notes: readonly string[];
  readonly error?: FurrowError;
}

/** Collects the tasks of a run from its events. */
export function tasksOf(events: readonly RunEvent[]): SimulatedTask[] {
  const steps = new Map<string, string[]>();
  return events.flatMap((event): SimulatedTask[] => {
    if (event.type !== "taskStarted" && event.type !== "stepStarted" && event.type !== "taskFinished") return [];
    const key = JSON.stringify([event.host, event.task.id]);
    if (event.type === "taskStarted") steps.set(key, []);
    if (event.type === "stepStarted") steps.get(key)?.push(event.step);
    if (event.type !== "taskFinished") return [];
    const { host, task, outcome, changes, notes, error } = event;
    const parts = changes.map(({ fact, differences }) => [fact, differences.map(({ path }) => path)] as const);
    return [
      {
        host,
        title: task.title,
        outcome,
        steps: steps.get(key) ?? [],
        changes: Object.fromEntries(parts),
        notes,
        ...(error && { error }),
      },
    ];
  });
}
