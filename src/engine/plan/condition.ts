import { FurrowError } from "../../core/errors.ts";
import { type OutputLookup, Ref } from "../../core/authoring/ref.ts";
import { described } from "../../core/authoring/described.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { type Inherited, titleOfCall } from "./plan.ts";
import type { TaskCall } from "../../core/authoring/call.ts";

/**
 * The reason why a task is skipped; undefined if it runs, `unknown` if check mode cannot know its condition. Throws
 * FurrowError E_PARAMS if a condition needs an output that does not exist, and E_PLAYBOOK if its value is not true or
 * false.
 */
export function reasonToSkip({ when }: Inherited, lookup: OutputLookup): string | undefined {
  for (const condition of when) {
    const value = condition instanceof Ref ? condition.resolve(lookup) : condition;
    if (value === knownAfterApply) return "unknown";
    if (value === true) continue;
    if (!(condition instanceof Ref)) return "when: false";
    const isMissing = lookup(condition.source) === undefined;
    if (condition.needsOutput && isMissing) throw noOutput(condition.source as TaskCall);
    if (value !== false && !isMissing) throw notBoolean(value, condition.source as TaskCall);
    return "its condition does not hold";
  }
  return undefined;
}

/** No other value is accepted as a condition: the string "false", for example, would count as true. */
function notBoolean(value: unknown, source: TaskCall): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: "the task's `when` is not true or false",
    current: described(value),
    expected: `true or false, from the output of ${titleOfCall(source)}`,
    hint: 'Compare the output, such as `when: x.output.map(({ stdout }) => stdout === "ready")`',
  });
}

function noOutput(source: TaskCall): FurrowError {
  return new FurrowError("E_PARAMS", {
    what: "the task's condition needs the output of a task that has no output in this run",
    details: [`that task is ${titleOfCall(source)}: it was left out or skipped, or failed before its last step ended`],
    hint: "Run that task too: do not leave it out by tags or --start-at, and give both tasks the same condition",
  });
}
