import type { Case } from "../case.ts";
import type { TaskDefinition } from "../../core/authoring/task-definition.ts";
import { paramsOf, type Trial, tryTask } from "../trial.ts";

/** A task under test. */
export interface Subject {
  readonly module: TaskDefinition;
  /** The task's folder: `file-line` for `fileLine`. */
  readonly folder: string | undefined;
  readonly cases: readonly Case[];
}

/** A case that ran without an error. */
export interface Tried extends Trial {
  readonly case: Case;
}

/** Runs all cases; errors are returned as sentences. */
export function tryCases(subject: Subject): { readonly tried: readonly Tried[]; readonly broken: readonly string[] } {
  const tried: Tried[] = [];
  const broken: string[] = [];
  for (const one of subject.cases) {
    if (one.call.module !== subject.module) {
      broken.push(`case "${one.title}" calls another task, "${one.call.module.card.name}"`);
      continue;
    }
    try {
      tried.push({ ...tryTask(subject.module, paramsOf(one.call), one.now), case: one });
    } catch (error) {
      broken.push(`case "${one.title}" cannot be run: ${sayError(error)}`);
    }
  }
  return { tried, broken };
}

/** An error as one line. */
export function sayError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
