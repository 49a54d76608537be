import { accessKindName, accessTo, removableBy } from "../../../core/facts/access.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import type { Fact } from "../../../core/facts/fact.ts";
import { parentOf } from "../../../core/facts/parent.ts";
import { pathResolution, pathResolutionKind } from "../../../core/facts/path-resolution.ts";
import { isKind } from "../../../core/facts/kind.ts";
import type { Step } from "../../../core/host/step.ts";
import type { WantDecision } from "../../plan/foreseen-change.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { AttemptContext, AttemptResult } from "../task-context.ts";
import { askRights, removedTrees, writtenPaths } from "./asked-rights.ts";
import { requireUnheld } from "./held-paths.ts";
import { requireWritable } from "./read-only.ts";
import { placeOfChange } from "./stored-places.ts";
import { requireRemovableTrees } from "./removed-trees.ts";
import { actsAsSession, requireSessionRights } from "./session-rights.ts";

/**
 * Check mode: throws the error that the task's steps would cause if a file system is read-only, nobody can change a
 * path, or the user lacks a permission. Instead of throwing, returns the earlier task that may prevent the error, if
 * there is one.
 */
export async function foreseeRights(
  planned: PlannedTask,
  params: unknown,
  { facts, match }: WantDecision,
  likely: () => readonly Step[],
  context: AttemptContext,
): Promise<AttemptResult["dependsOn"]> {
  const { host, hostIsMissing, simulation } = context;
  if (hostIsMissing) return undefined;
  const disturbs = planned.call.module.card.disturbs?.(params);
  if (!simulation) await askRights(facts.flatMap(placesToResolve), context);
  const mayBeReadOnly = match === "differs" && host.knowledge.names.disturbances.mayRemount;
  const isAsked = !simulation && isKind(accessKindName);
  if (!mayBeReadOnly && !isAsked) return undefined;
  const steps = likely();
  const remount = mayBeReadOnly ? requireWritable(facts, steps, disturbs, host.knowledge) : undefined;
  if (!isAsked) return remount;
  const paths = writtenPaths(steps).map(({ path }) => accessTo(path));
  const trees = removedTrees(planned, facts, steps, host.user).map(({ user, path }) => removableBy(user, path));
  await askRights([...paths, ...trees, ...(actsAsSession(planned, host.user) ? [accessTo("/")] : [])], context);
  const freed = requireUnheld(planned, facts, steps, disturbs ?? [], host);
  requireSessionRights(planned, facts, steps, host);
  return remount ?? freed ?? requireRemovableTrees(planned, facts, steps, host);
}

/** The question of whether the directory that a change writes to is on a read-only file system. */
function placesToResolve(bound: Bound): Fact[] {
  const place = placeOfChange(bound);
  return place && isKind(pathResolutionKind) ? [pathResolution(parentOf(place.path))] : [];
}
