import { merge } from "../core/compare.ts";
import { isFurrowError } from "../core/errors.ts";
import { collect } from "../core/evaluate.ts";
import { type Fact, factId, type Facts, isControllerFact } from "../core/fact.ts";
import { reveal } from "../core/secret.ts";
import { Refusal } from "../core/refusal.ts";
import { absent, isRecord } from "../core/symbols.ts";
import type { PlannedTask } from "./plan.ts";

/** One task's want of one fact. */
export interface EditClaim {
  readonly wanted: unknown;
  readonly task: PlannedTask;
}

/** Two tasks that would undo each other at every run, and the fact they do it to. */
export interface EditConflict {
  readonly id: string;
  readonly first: EditClaim;
  readonly second: EditClaim;
}

const imagined = { mode: "0644", owner: "root", group: "root" };

/**
 * Takes tasks that change parts of one file (lines, blocks) twice through a file that was empty: whoever changes it the
 * second time, too, undoes what a later task does, and would at every run. `factsOf` gives a task's facts before it knows any.
 */
export function editConflict(
  tasks: readonly PlannedTask[],
  factsOf: (task: PlannedTask) => Facts | undefined,
): EditConflict | undefined {
  const files = new Map<string, { readonly id: string; readonly tasks: PlannedTask[]; edited: boolean }>();
  for (const task of tasks) {
    for (const asked of Object.values(factsOf(task) ?? {})) {
      const fact = asked as Fact;
      if (Array.isArray(asked) || isControllerFact(fact) || fact.kind !== "file") continue;
      const key = `${task.target} ${factId(fact)}`;
      const known = files.get(key) ?? { id: factId(fact), tasks: [], edited: false };
      known.tasks.push(task);
      known.edited ||= fact.facets.includes("text") || fact.facets.includes("hidden");
      files.set(key, known);
    }
  }
  for (const { id, tasks: named, edited } of files.values()) {
    const found = edited && named.length > 1 ? flappingIfKnown(id, named, factsOf) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Texts that hold a secret which has not been read yet cannot be compared; the run compares them. */
function flappingIfKnown(...of: Parameters<typeof flapping>): EditConflict | undefined {
  try {
    return flapping(...of);
  } catch (error) {
    if (isFurrowError(error)) return undefined;
    throw error;
  }
}

function flapping(
  id: string,
  tasks: readonly PlannedTask[],
  factsOf: (task: PlannedTask) => Facts | undefined,
): EditConflict | undefined {
  let state: unknown = { type: "file", ...imagined, text: "" };
  const changes: EditClaim[] = [];
  for (const round of [1, 2]) {
    for (const task of tasks) {
      const wanted = wantOf(task, id, factsOf(task) ?? {}, state);
      if (wanted === undefined || textOf(wanted, state) === textOf(state, state)) continue;
      const claim = { wanted, task };
      if (round === 2) {
        const other = changes.findLast(
          (one) => one.task !== task && textOf(one.wanted, state) !== textOf(wanted, state),
        );
        if (other) return { id, first: other, second: claim };
      }
      changes.push(claim);
      state = wanted === absent ? absent : merge(state === absent ? imagined : state, wanted);
    }
  }
  return undefined;
}

/** What a task wants of a file in this state; undefined where it wants nothing, refuses, or needs a real host to tell. */
function wantOf(task: PlannedTask, id: string, facts: Facts, state: unknown): unknown {
  if (!("params" in task.parsed) || task.call.module.stages.length !== 1) return undefined;
  const value = (fact: Fact): unknown => (factId(fact) === id ? state : { type: "directory", ...imagined });
  try {
    const want = task.call.module.want(task.parsed.params as never, collect(facts, value) as never);
    if (want instanceof Refusal) return undefined;
    const name = Object.entries(facts).find(([, fact]) => !Array.isArray(fact) && factId(fact as Fact) === id)?.[0];
    return name === undefined ? undefined : want[name];
  } catch {
    // It looks at what only a real host has, or its secret is not read yet.
    return undefined;
  }
}

/** The text that a want leaves; the state's own where it binds none, and nothing where the file goes. */
function textOf(wanted: unknown, state: unknown): unknown {
  if (wanted === absent) return absent;
  const text = isRecord(wanted) ? wanted["text"] : undefined;
  const left = text ?? (isRecord(state) ? state["text"] : text);
  return typeof left === "string" ? reveal(left) : left;
}
