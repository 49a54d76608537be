import type { OutputLookup } from "../../core/ref.ts";
import { expandComposite, type Planned, type PlannedTask } from "./plan.ts";

/** Where a plan must not be foreseen beyond: what comes after depends on other hosts, or is not known yet. */
export type Border = "border";

/** What is still to come on a host's way: nodes in order, and what follows them. */
export interface Rest {
  readonly nodes: readonly (Planned | Border)[];
  /** Index of the first of `nodes` that is still to come. */
  readonly at: number;
  readonly next: Rest | undefined;
}

/** What comes after one group: its `always`, and where other hosts wait for the group, a border. */
export function restAfter(group: Extract<Planned, { node: "group" }>, next: Rest | undefined): Rest {
  const border: readonly Border[] = group.kind === "once" ? ["border"] : [];
  return { nodes: [...(group.always ?? []), ...border], at: 0, next };
}

/**
 * The tasks to come if nothing fails, in the order in which they run, with borders between them. Composites whose params
 * are outputs are expanded as far as `lookup` knows these.
 */
export function* comingTasks(rest: Rest | undefined, lookup: OutputLookup): Generator<PlannedTask | Border, void> {
  for (let part = rest; part !== undefined; part = part.next) {
    for (const node of part.nodes.slice(part.at)) yield* tasksOf(node, lookup);
  }
}

function* tasksOf(node: Planned | Border, lookup: OutputLookup): Generator<PlannedTask | Border, void> {
  if (node === "border") yield node;
  else if (node.node === "task") yield node;
  else if (node.node === "composite") {
    const group = expanded(node, lookup);
    yield* group === undefined ? (["border"] as const) : tasksOf(group, lookup);
  } else {
    if (node.kind === "once") yield "border";
    for (const child of node.children) yield* tasksOf(child, lookup);
    yield* comingTasks(restAfter(node, undefined), lookup);
  }
}

function expanded(node: Extract<Planned, { node: "composite" }>, lookup: OutputLookup): Planned | undefined {
  try {
    return expandComposite(node, lookup);
  } catch {
    // Its own turn will show the same failure where it belongs.
    return undefined;
  }
}
