import type { TaskCall } from "../../core/authoring/call.ts";
import { FurrowError } from "../../core/errors.ts";

/**
 * Refuses two task modules with the same name, because reports could not distinguish them. Throws FurrowError
 * E_DUPLICATE_TASK.
 */
export function checkTaskNames(calls: Iterable<TaskCall>): void {
  const seen = new Map<string, TaskCall>();
  for (const call of calls) {
    const { name } = call.module.card;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, call);
    else if (first.module.card !== call.module.card) {
      throw new FurrowError("E_DUPLICATE_TASK", {
        what: `two task modules are named "${name}"`,
        where: { task: name, ...(call.source !== undefined && { source: call.source }) },
        current: `"${first.module.card.summary}"${at(first)} and "${call.module.card.summary}"${at(call)}`,
        hint: "Rename one of them in its task({ name: … })",
      });
    }
  }
}

function at({ source }: TaskCall): string {
  return source === undefined ? "" : ` (called at ${source})`;
}
