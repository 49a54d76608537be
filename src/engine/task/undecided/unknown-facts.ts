import { type Fact, factId, isControllerFact } from "../../../core/facts/fact.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import { isRan } from "../../../core/facts/ran.ts";
import { isRecord, knownAfterApply } from "../../../core/facts/symbols.ts";
import type { Host } from "../../host/host.ts";
import type { AttemptResult } from "../task-context.ts";

/**
 * The earlier task that decides whether the run refuses this task, because a fact that may cause a refusal
 * (`mayRefuse`) is unknown.
 */
export function doubtOf(facts: readonly Bound[], host: Host): AttemptResult["dependsOn"] {
  const open = facts.filter(({ fact, now }) => {
    if (isControllerFact(fact) || isRan(fact) || fact.mayRefuse === undefined) return false;
    if (fact.mayRefuse === "all" || now === knownAfterApply) return holdsOpen(now);
    return isRecord(now) && fact.mayRefuse.some((part) => now[part] === knownAfterApply);
  });
  return open.length === 0
    ? undefined
    : dependencyOf(
        open.map(({ fact }) => fact),
        host,
      );
}

/** True if a value is unknown or has an unknown part. */
export function holdsOpen(value: unknown): boolean {
  return value === undefined || value === knownAfterApply || (isRecord(value) && Object.values(value).some(holdsOpen));
}

/**
 * The earlier task that unknown facts depend on (`itself` if they depend on no earlier task), and the ids of these
 * facts.
 */
export function dependencyOf(unknown: readonly Fact[], host: Host): { task: string; facts: readonly string[] } {
  const named = unknown.map((fact) => ({ id: factId(fact), by: host.knowledge.lookup(fact)?.by }));
  return { task: named.find(({ by }) => by !== undefined)?.by ?? "itself", facts: named.map(({ id }) => id) };
}
