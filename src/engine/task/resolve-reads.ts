import { isFurrowError } from "../../core/errors.ts";
import { type FactPattern, type Facts, listFacts, literal } from "../../core/facts/fact.ts";
import { readsAnything } from "../../core/facts/kind.ts";
import { pathResolution } from "../../core/facts/path-resolution.ts";
import { readFacts } from "../host/read-facts.ts";
import { fixedPathOf } from "../paths/path-resolution-patterns.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { AttemptContext } from "./task-context.ts";

/**
 * Check mode, after an earlier change: reads the links and mounts on the paths that a user's command reads, because the
 * change may have been made under another name. If nothing has changed yet, the host is not queried.
 */
export async function resolveReads(
  planned: PlannedTask,
  params: unknown,
  facts: Facts,
  { host, drivers, signal, hostIsMissing, mode }: AttemptContext,
): Promise<void> {
  if (mode !== "check" || hostIsMissing || host.knowledge.changes.lastBy(undefined) === undefined) return;
  const { card } = planned.call.module;
  const own = card.readsOnly?.(params) === true ? card.reads?.(params) : undefined;
  const declared = listFacts(facts).flatMap(({ fact }) => (readsAnything(fact) ? (fact.reads ?? []) : []));
  const open = [...declared, ...(own ?? [])]
    .flatMap(pathOf)
    .filter((path) => !host.knowledge.names.knowsResolution(path))
    .map(pathResolution);
  if (open.length === 0) return;
  try {
    await readFacts(open, host, drivers, signal);
  } catch (error) {
    // The task's user may not exist yet. In that case, nothing is known about the user's command either.
    if (!isFurrowError(error) || error.code !== "E_BECOME") throw error;
  }
}

/** The path that a pattern names, or the folder of the paths that it matches. */
function pathOf(pattern: FactPattern): string[] {
  const key = pattern.slice(pattern.indexOf(":") + 1);
  if (!key.startsWith("/")) return [];
  const path = literal(fixedPathOf(key));
  return path.length > 1 ? [path.replace(/\/$/, "")] : [];
}
