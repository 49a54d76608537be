import type { HostFact } from "../../core/facts/fact.ts";
import { isControllerFact } from "../../core/facts/fact.ts";
import { isKind, kindOf } from "../../core/facts/kind.ts";
import { absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { firstFacts, isCertain, wantOf } from "../plan/conflicts/conflicts.ts";
import { directoriesAbove } from "../plan/parent-directories.ts";
import type { PathNames } from "../paths/path-names.ts";
import type { PlannedTask } from "../plan/plan.ts";

/** A link that a task creates, retargets or removes. */
export interface RetargetedLink {
  readonly task: PlannedTask;
  /** The position of the task in the play. */
  readonly index: number;
  readonly fact: HostFact<unknown>;
  /** The wanted value of the link; knownAfterApply if it is known only during the run. */
  readonly wanted: unknown;
}

/**
 * The links that one task in the play creates, retargets or removes, and that are part of other tasks' paths. How these
 * paths resolve is known only after the link's task has run.
 */
export function retargetedLinks(
  tasks: readonly PlannedTask[],
  names: (task: PlannedTask) => PathNames,
): RetargetedLink[] {
  const directories = directoriesThrough(tasks, names);
  return tasks.flatMap((task, index) =>
    firstFacts(task).flatMap((fact): RetargetedLink[] => {
      if (isControllerFact(fact) || !isKind(fact.kind) || kindOf(fact.kind).linkTarget === undefined) return [];
      const isThrough = (key: string): boolean => directories.has(`${task.target} ${key}`);
      if (!isThrough(fact.key) && !isThrough(names(task).fact(fact).key)) return [];
      const wanted = wantOf(task, fact);
      if (wanted === absent) return [{ task, index, fact, wanted: isCertain(task) ? absent : knownAfterApply }];
      if (!isRecord(wanted) || wanted["type"] !== "link") return [];
      const isKnown = isCertain(task) && typeof wanted["target"] === "string";
      return [{ task, index, fact, wanted: isKnown ? wanted : knownAfterApply }];
    }),
  );
}

/**
 * The directories that the paths of these tasks go through, each preceded by the name of its host, under the tasks' own
 * names and under real names. Most tasks have paths in the same few directories, so each directory is resolved only
 * once.
 */
function directoriesThrough(tasks: readonly PlannedTask[], namesOf: (task: PlannedTask) => PathNames): Set<string> {
  const through = new Set<string>();
  const seen = new Map<PathNames, Set<string>>();
  for (const task of tasks) {
    const names = namesOf(task);
    const own = seen.get(names) ?? new Set();
    seen.set(names, own);
    for (const directory of firstFacts(task).flatMap((fact) => names.directoriesOf(fact))) {
      const key = `${task.target} ${directory}`;
      if (own.has(key)) continue;
      own.add(key);
      for (const one of [directory, names.real(directory, true)])
        for (const path of [...directoriesAbove(one), one]) through.add(`${task.target} ${path}`);
    }
  }
  return through;
}

/** The names after these links have been changed. */
export function namesWith(names: PathNames, links: readonly RetargetedLink[]): PathNames {
  if (links.length === 0) return names;
  const led = names.copy();
  for (const { fact, wanted, task } of links) led.predict(fact, wanted, task.id);
  return led;
}
