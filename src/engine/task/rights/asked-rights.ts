import {
  type Access,
  accessKindName,
  accessTo,
  type Removable,
  removableBy,
  removableKindName,
} from "../../../core/facts/access.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import { isKind } from "../../../core/facts/kind.ts";
import { parentOf } from "../../../core/facts/parent.ts";
import { pathResolution } from "../../../core/facts/path-resolution.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { Step } from "../../../core/host/step.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import { readFacts } from "../../host/read-facts.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { AttemptContext } from "../task-context.ts";
import { foundAt } from "./found-entries.ts";
import { isFileStep } from "./step-rules.ts";
import { storedPlace } from "./stored-places.ts";

/** A path that a step writes to. */
export interface WrittenPath {
  readonly step: Step;
  readonly path: string;
}

/**
 * The paths that steps write to. For a step that creates files in a directory, this is an unused path in the directory.
 */
export function writtenPaths(steps: readonly Step[]): WrittenPath[] {
  return steps.flatMap((step): WrittenPath[] => {
    if (isFileStep(step)) return [{ step, path: step.path }];
    return step.step === "run" && step.writesIn !== undefined
      ? [{ step, path: `${step.writesIn === "/" ? "" : step.writesIn}/.furrow-none` }]
      : [];
  });
}

/**
 * The directories that steps remove with everything below them, each with the question that asks whether the removal is
 * possible.
 */
export function removedTrees(
  { become }: Pick<PlannedTask, "become">,
  facts: readonly Bound[],
  steps: readonly Step[],
  session: string | undefined,
): { readonly step: Step; readonly user: string | undefined; readonly path: string }[] {
  return steps.flatMap((step) => {
    if (step.step !== "remove" || !step.recursive) return [];
    const now = foundAt(facts, step.path);
    if (!isRecord(now) || now["type"] !== "directory") return [];
    const acting = step.user ?? become ?? session;
    return [{ step, path: step.path, user: acting === session || acting === "root" ? undefined : acting }];
  });
}

/**
 * Check mode: the questions about rights that decide whether the steps can be performed, for the paths that the task's
 * facts already show. The questions are sent in the frame that reads the facts, so they cost no extra round trip.
 */
export function rightsAhead(
  facts: readonly Fact[],
  { knowledge, user }: Pick<AttemptContext["host"], "knowledge" | "user">,
): Fact[] {
  if (!isKind(accessKindName)) return [];
  const asked = facts.flatMap((fact): Fact[] => {
    if (isControllerFact(fact)) return [];
    if (fact.kind === "file") return [accessTo(fact.key)];
    const place = storedPlace(fact);
    if (place) return [pathResolution(parentOf(place.path))];
    return fact.kind === "removal" && fact.facets.includes("size") ? [removableBy(undefined, fact.key)] : [];
  });
  const own = user === "root" || facts.every(isControllerFact) ? [] : [accessTo("/")];
  return [...asked, ...own].filter((fact) => knowledge.lookup(fact) === undefined);
}

/** Check mode: asks the questions about the steps' paths that are not answered yet. */
export async function askRights(questions: readonly Fact[], { host, drivers, signal }: AttemptContext): Promise<void> {
  const open = questions.filter((fact) => host.knowledge.lookup(fact) === undefined);
  if (open.length > 0) await readFacts(open, host, drivers, signal);
}

/** The session user's rights on a path, according to the kernel; undefined if unknown. */
export function accessAt(path: string, knowledge: Knowledge): Access | undefined {
  const value = knowledge.lookup(accessTo(path))?.value;
  return isRecord(value) ? (value as unknown as Access) : undefined;
}

/** The obstacle to removing a tree; undefined if unknown. */
export function removableAt(user: string | undefined, path: string, knowledge: Knowledge): Removable | undefined {
  const value = isKind(removableKindName) ? knowledge.lookup(removableBy(user, path))?.value : undefined;
  return isRecord(value) ? value : undefined;
}
