import type { PlannedTask } from "../plan/plan.ts";
import type { AttemptContext } from "../task/task-context.ts";

/**
 * The number of upcoming tasks whose facts are read together. The number shrinks at a change, and doubles with each
 * task that changes nothing.
 */
export class ReadWindow {
  #size = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#size;
  }

  shrink(): void {
    this.#size = 4;
  }

  grow(): void {
    this.#size *= 2;
  }
}

/**
 * The next tasks that act on the same host as the same user, as many as the window allows in addition to the current
 * task.
 */
export function tasksAhead(context: AttemptContext, window: ReadWindow, skipped?: ReadonlySet<string>): PlannedTask[] {
  const { upcoming, host, hostFor, outputs, playHost } = context;
  const tasks: PlannedTask[] = [];
  for (const task of upcoming(outputs.lookupFor(playHost))) {
    if (tasks.length >= window.size - 1) break;
    if (task !== "border" && hostFor(task) === host && skipped?.has(task.id) !== true) tasks.push(task);
  }
  return tasks;
}
