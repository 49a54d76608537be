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
  const directories = new Set(tasks.flatMap((task) => directoriesThrough(task, names(task))));
  return tasks.flatMap((task, index) =>
    firstFacts(task).flatMap((fact): RetargetedLink[] => {
      if (isControllerFact(fact) || !isKind(fact.kind) || kindOf(fact.kind).linkTarget === undefined) return [];
      const real = names(task).fact(fact);
      if (!directories.has(`${task.target} ${fact.key}`) && !directories.has(`${task.target} ${real.key}`)) return [];
      const wanted = wantOf(task, fact);
      if (wanted === absent) return [{ task, index, fact, wanted: isCertain(task) ? absent : knownAfterApply }];
      if (!isRecord(wanted) || wanted["type"] !== "link") return [];
      const isKnown = isCertain(task) && typeof wanted["target"] === "string";
      return [{ task, index, fact, wanted: isKnown ? wanted : knownAfterApply }];
    }),
  );
}

/** The directories that the paths of a task go through, under the task's own names and under real names. */
function directoriesThrough(task: PlannedTask, names: PathNames): string[] {
  return firstFacts(task)
    .flatMap((fact) => names.directoriesOf(fact))
    .flatMap((directory) => [directory, names.real(directory, true)])
    .flatMap((directory) => [...directoriesAbove(directory), directory].map((path) => `${task.target} ${path}`));
}

/** The names after these links have been changed. */
export function namesWith(names: PathNames, links: readonly RetargetedLink[]): PathNames {
  if (links.length === 0) return names;
  const led = names.copy();
  for (const { fact, wanted, task } of links) led.predict(fact, wanted, task.id);
  return led;
}
