import type { OutputLookup } from "../../core/authoring/ref.ts";
import { expandComposite, type Planned, type PlannedTask } from "./plan.ts";

/** A point that a forecast must not pass, because later tasks depend on other hosts or are not known yet. */
export type ForecastEnd = "border";

/** The remainder of a host's plan: the rest of a list of nodes, and the plan that follows the list. */
export interface RemainingPlan {
  readonly nodes: readonly (Planned | ForecastEnd)[];
  /** Index of the first remaining node in `nodes`. */
  readonly at: number;
  readonly next: RemainingPlan | undefined;
}

/** The plan that follows the nodes of a group: the group's `always`, and a border if other hosts wait for the group. */
export function restAfter(group: Extract<Planned, { node: "group" }>, next: RemainingPlan | undefined): RemainingPlan {
  const border: readonly ForecastEnd[] = group.kind === "once" ? ["border"] : [];
  return { nodes: [...(group.always ?? []), ...border], at: 0, next };
}

/**
 * The tasks that still run if nothing fails, in order, with borders between them. A composite whose params are outputs
 * is expanded if `lookup` knows these outputs.
 */
export function* upcomingTasks(
  rest: RemainingPlan | undefined,
  lookup: OutputLookup,
): Generator<PlannedTask | ForecastEnd, void> {
  for (let part = rest; part !== undefined; part = part.next) {
    for (const node of part.nodes.slice(part.at)) yield* tasksOf(node, lookup);
  }
}

function* tasksOf(node: Planned | ForecastEnd, lookup: OutputLookup): Generator<PlannedTask | ForecastEnd, void> {
  if (node === "border") yield node;
  else if (node.node === "task") yield node;
  else if (node.node === "composite") {
    const group = expanded(node, lookup);
    yield* group === undefined ? (["border"] as const) : tasksOf(group, lookup);
  } else {
    if (node.kind === "once") yield "border";
    for (const child of node.children) yield* tasksOf(child, lookup);
    yield* upcomingTasks(restAfter(node, undefined), lookup);
  }
}

function expanded(node: Extract<Planned, { node: "composite" }>, lookup: OutputLookup): Planned | undefined {
  try {
    return expandComposite(node, lookup);
  } catch {
    // The same failure will be reported when the task's turn comes.
    return undefined;
  }
}
