import { differences } from "../../../core/facts/compare.ts";
import { FurrowError } from "../../../core/errors.ts";
import type { EditClaim } from "./edit-conflicts.ts";
import { labelOf } from "../plan.ts";
import { valueText } from "../value-text.ts";

/** E_CONFLICTING_WANTS for two tasks that want different values for the fact `id`. */
export function conflict(id: string, first: EditClaim, second: EditClaim): FurrowError {
  const [difference] = differences(first.wanted, second.wanted);
  const part = difference === undefined || difference.path === "" ? id : `${difference.path} of ${id}`;
  const name = ({ task }: EditClaim): string =>
    `${labelOf(task, task.target).title}${task.call.source === undefined ? "" : ` at ${task.call.source}`}`;
  const { source } = second.task.call;
  return new FurrowError("E_CONFLICTING_WANTS", {
    what: `two tasks want different values for ${part}: they would undo each other in every run`,
    where: { task: labelOf(second.task, second.task.target).title, ...(source !== undefined && { source }) },
    details: [
      `${valueText(difference?.from, 120)} is wanted by ${name(first)}`,
      `${valueText(difference?.to, 120)} is wanted by ${name(second)}`,
    ],
    hint: "Remove one, give both the same value, or mark the first `temporary: true` if the second must change it",
  });
}
