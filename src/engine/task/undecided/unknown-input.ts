import { type OutputLookup, Ref, unknownSources } from "../../../core/authoring/ref.ts";
import type { TaskCall } from "../../../core/authoring/call.ts";
import { type PlannedTask, titleOfCall } from "../../plan/plan.ts";
import type { AttemptResult } from "../task-context.ts";

type DependsOn = NonNullable<AttemptResult["dependsOn"]>;

/** Names the earlier tasks whose outputs are unknown params of this task. */
export function dependsOnOutputs({ call }: PlannedTask, lookup: OutputLookup): DependsOn {
  return { task: titlesOf(unknownSources(call.input, lookup)), facts: ["output"] };
}

/** Names the earlier tasks whose unknown outputs this task's conditions depend on. */
export function dependsOnCondition({ when }: PlannedTask, lookup: OutputLookup): DependsOn {
  const conditions = when.filter((condition) => condition instanceof Ref);
  return { task: titlesOf(unknownSources(conditions, lookup)), facts: ["condition"] };
}

function titlesOf(calls: readonly object[]): string {
  return [...new Set(calls.map((call) => titleOfCall(call as TaskCall)))].join(" and ");
}
