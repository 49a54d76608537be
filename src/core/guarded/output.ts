import type { FurrowError } from "../errors.ts";
import { guarded } from "./guarded.ts";
import { layoutOfNames } from "./layout.ts";

const anyItems = layoutOfNames({});
const outputOwner = "the output of ";

/** True for the error of {@link guardOutput} about a name that the output does not have. */
export function isMissingOutput({ code, failure: { what } }: FurrowError): boolean {
  return code === "E_PLAYBOOK" && what.startsWith(outputOwner) && what.includes(' has no "');
}

/**
 * A task's output, guarded with its own names. If the names in an output are data, its task nests them one level
 * deeper, as in `{ addresses: { eth0: … } }`.
 */
export function guardOutput<T>(output: T, task: string): T {
  if (typeof output !== "object" || output === null) return output;
  if (Array.isArray(output)) return guarded(output, anyItems, { path: `the output of ${task}` });
  const names = Object.fromEntries(Object.keys(output).map((name) => [name, true]));
  return guarded(output, layoutOfNames(names), { path: `${outputOwner}${task}` });
}
