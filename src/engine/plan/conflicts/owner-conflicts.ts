import { FurrowError } from "../../../core/errors.ts";
import { labelOf, type PlannedTask } from "../plan.ts";

/** A task, and the owner that it gives a thing to. */
interface Taker {
  readonly owner: string;
  readonly task: PlannedTask;
}

/**
 * Throws FurrowError E_CONFLICTING_WANTS if two tasks give a thing that only one owner can have (`takes` in their
 * cards) to different owners: the second task would fail in every run, because the first one has taken the thing.
 */
export function refuseTwoOwners(tasks: readonly PlannedTask[]): void {
  const taken = new Map<string, Taker>();
  for (const task of tasks) {
    const { takes } = task.call.module.card;
    if (takes === undefined || !("params" in task.parsed)) continue;
    for (const [thing, owner] of Object.entries(takes(task.parsed.params))) {
      const key = `${task.target} ${thing}`;
      const first = taken.get(key);
      if (first === undefined) taken.set(key, { owner, task });
      else if (first.owner !== owner) throw takenTwice(thing, first, { owner, task });
    }
  }
}

function takenTwice(thing: string, first: Taker, second: Taker): FurrowError {
  const told = ({ owner, task }: Taker): string => `"${owner}" gets it from ${nameOf(task)}`;
  const { source } = second.task.call;
  return new FurrowError("E_CONFLICTING_WANTS", {
    what: `two tasks assign the ${thing} to different names`,
    where: { task: labelOf(second.task, second.task.target).title, ...(source !== undefined && { source }) },
    details: [told(first), told(second)],
    hint: "Give one of them another ID",
  });
}

function nameOf(task: PlannedTask): string {
  const { title } = labelOf(task, task.target);
  return task.call.source === undefined ? title : `${title} at ${task.call.source}`;
}
