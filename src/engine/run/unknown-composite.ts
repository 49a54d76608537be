import type { TaskCall } from "../../core/authoring/call.ts";
import { type OutputLookup, unknownSources } from "../../core/authoring/ref.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent, TaskLabel } from "../../core/events.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import type { Host } from "../host/host.ts";
import { reasonToSkip } from "../plan/condition.ts";
import { type PlannedComposite, titleOfCall } from "../plan/plan.ts";

type Finished = Extract<RunEvent, { type: "taskFinished" }>;

/**
 * The result of a composite whose tasks cannot be planned: it is skipped if its condition does not hold, and undecided
 * if check mode cannot know its params. Throws FurrowError E_PARAMS if its params come from a task that has not run.
 */
export function resultOfUnknown(
  planned: PlannedComposite,
  lookup: OutputLookup,
): Pick<Finished, "outcome" | "because" | "dependsOn"> {
  const skipped = reasonToSkip(planned, lookup);
  if (skipped !== undefined && skipped !== "unknown") return { outcome: "skipped", because: skipped };
  const sources = unknownSources(planned.composite.input, lookup);
  if (sources.length === 0) {
    throw new FurrowError("E_PARAMS", {
      what: "a param is the output of a task that has not run",
      hint: "List that task earlier, and do not skip it by tags or a condition",
    });
  }
  const titles = new Set(sources.map((call) => titleOfCall(call as TaskCall)));
  return { outcome: "undecided", dependsOn: { task: [...titles].join(" and "), facts: ["output"] } };
}

/** Check mode: any fact about the host may change, because the changes that the composite's tasks make are unknown. */
export function predictUnknownTasks({ knowledge }: Host, title: string): void {
  knowledge.names.disturbances.note(["everything"], title);
  knowledge.touched(["everything"], title);
}

/** The label of a composite whose tasks are unknown, in reports about `host`. */
export function labelOfComposite({ composite, id, path, source, target }: PlannedComposite, host: string): TaskLabel {
  const title = printMarkers(composite.options.name ?? composite.name);
  const written = source ?? composite.source;
  return {
    id,
    module: composite.name,
    title,
    path: path.filter((name) => name !== composite.name),
    ...(written !== undefined && { source: written }),
    ...(target !== host && { on: target }),
  };
}
