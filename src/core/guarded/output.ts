import { guarded } from "./guarded.ts";
import { layoutOfNames } from "./layout.ts";

const anyItems = layoutOfNames({});

/**
 * A task's output, guarded with its own names. If the names in an output are data, its task nests them one level
 * deeper, as in `{ addresses: { eth0: … } }`.
 */
export function guardOutput<T>(output: T, task: string): T {
  if (typeof output !== "object" || output === null) return output;
  if (Array.isArray(output)) return guarded(output, anyItems, { path: `the output of ${task}` });
  const names = Object.fromEntries(Object.keys(output).map((name) => [name, true]));
  return guarded(output, layoutOfNames(names), { path: `the output of ${task}` });
}
