import { askStages, collect } from "../core/evaluate.ts";
import { type Fact, isControllerFact, type Json, listFacts } from "../core/fact.ts";
import { Refusal } from "../core/refusal.ts";
import { absent, isRecord } from "../core/symbols.ts";
import type { TreeText, TreeTask, View } from "./edit-conflicts.ts";

/** True where the source of a tree has something at a path below it, by the tree's request. */
export type TreeHolds = (request: Json, below: string) => boolean;

/** What is known of trees of the controller before a run; where nobody can look into them, they are no reason to refuse. */
export interface Trees {
  readonly treeText?: TreeText | undefined;
  readonly treeHolds?: TreeHolds | undefined;
}

/**
 * True where a task that brings a tree removes a path below the tree's root, because its source has nothing there. The task
 * is asked with an empty source and with a host's tree that holds this path: what it then leaves out of the names, it purges.
 */
export function purges({ task, root, request }: TreeTask, path: string, view: View): boolean {
  if (!path.startsWith(`${root}/`)) return false;
  const below = path.slice(root.length + 1);
  const names = namesWanted(task, [".", ...prefixesOf(below)]);
  return names !== undefined && !names.includes(below) && !view.treeHolds(request, below);
}

/** The names that a task wants in its tree where the source is empty and the host has these; undefined where any will do. */
function namesWanted(task: TreeTask["task"], names: readonly string[]): readonly unknown[] | undefined {
  const { parsed, call } = task;
  if (!("params" in parsed)) return undefined;
  const value = (fact: Fact): unknown => {
    if (isControllerFact(fact)) return { path: "", entries: {} };
    return fact.kind === "tree" ? { entries: {}, names } : absent;
  };
  try {
    const stages = askStages(call.module, parsed.params);
    let stage = stages.next();
    let values = {};
    while (stage.done !== true) {
      values = collect(stage.value, value);
      stage = stages.next(values);
    }
    const want = call.module.want(parsed.params as never, values as never);
    if (want instanceof Refusal) return undefined;
    const tree = listFacts(stage.value).find(({ fact }) => !isControllerFact(fact) && fact.kind === "tree");
    const wanted: unknown = tree && want[tree.name];
    const wantedNames: unknown = isRecord(wanted) ? wanted["names"] : undefined;
    return Array.isArray(wantedNames) ? (wantedNames as unknown[]) : undefined;
  } catch {
    // It looks at what only a real host has; the run tells.
    return undefined;
  }
}

function prefixesOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
