import type { Ref, TaskCall } from "../../src/authoring.ts";

/**
 * The option for a task that must run only if a guard has passed in the same run. If `--start-at` or tags leave the
 * guard out, the task is refused. A guard that follows another one has this option too, so a task names only the last
 * guard.
 *
 * @param guard undefined or false if there is nothing to guard
 */
export function onlyAfter(guard: TaskCall | false | undefined): { readonly when?: Ref<boolean> } {
  return guard === undefined || guard === false ? {} : { when: guard.output.map(() => true) };
}
