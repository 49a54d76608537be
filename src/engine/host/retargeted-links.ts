import type { HostFact } from "../../core/fact.ts";
import { isControllerFact } from "../../core/fact.ts";
import { isKind, kindOf } from "../../core/kind.ts";
import { absent, isRecord, knownAfterApply } from "../../core/symbols.ts";
import { firstFacts, isCertain, wantOf } from "../plan/conflicts/conflicts.ts";
import { directoriesAbove } from "../plan/parent-directories.ts";
import type { Names } from "../paths/path-names.ts";
import type { PlannedTask } from "../plan/plan.ts";

/** A link that a task makes, leads elsewhere or takes away. */
export interface LedLink {
  readonly task: PlannedTask;
  /** The place of the task in the play. */
  readonly index: number;
  readonly fact: HostFact<unknown>;
  /** What is wanted of the link; knownAfterApply where only the run tells. */
  readonly wanted: unknown;
}

/**
 * The links through which other tasks of the play name things, and to which a task of it gives a target. Such a link says
 * where names lead only once its task has run.
 */
export function ledLinks(tasks: readonly PlannedTask[], names: (task: PlannedTask) => Names): LedLink[] {
  const ways = new Set(tasks.flatMap((task) => waysOf(task, names(task))));
  return tasks.flatMap((task, index) =>
    firstFacts(task).flatMap((fact): LedLink[] => {
      if (isControllerFact(fact) || !isKind(fact.kind) || kindOf(fact.kind).leads === undefined) return [];
      const real = names(task).fact(fact);
      if (!ways.has(`${task.target} ${fact.key}`) && !ways.has(`${task.target} ${real.key}`)) return [];
      const wanted = wantOf(task, fact);
      if (wanted === absent) return [{ task, index, fact, wanted: isCertain(task) ? absent : knownAfterApply }];
      if (!isRecord(wanted) || wanted["type"] !== "link") return [];
      const isKnown = isCertain(task) && typeof wanted["target"] === "string";
      return [{ task, index, fact, wanted: isKnown ? wanted : knownAfterApply }];
    }),
  );
}

/** The directories that the names of a task go through, by the task's own names and by real ones. */
function waysOf(task: PlannedTask, names: Names): string[] {
  return firstFacts(task)
    .flatMap((fact) => names.directoriesOf(fact))
    .flatMap((directory) => [directory, names.real(directory, true)])
    .flatMap((directory) => [...directoriesAbove(directory), directory].map((path) => `${task.target} ${path}`));
}

/** Names as these links will have them. */
export function namesWith(names: Names, links: readonly LedLink[]): Names {
  if (links.length === 0) return names;
  const led = names.copy();
  for (const { fact, wanted, task } of links) led.predict(fact, wanted, task.id);
  return led;
}
