import { guarded } from "./guarded.ts";
import { layoutOfNames } from "./layout.ts";

/**
 * What a task has put out, guarded by the names it has: a task whose output has names of its own making keeps them below
 * one, as in `{ addresses: { eth0: … } }`.
 */
export function guardOutput<T>(output: T, task: string): T {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return output;
  const names = Object.fromEntries(Object.keys(output).map((name) => [name, true]));
  return guarded(output, layoutOfNames(names), { path: `the output of ${task}` });
}
