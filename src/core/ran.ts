import type { HostFact } from "./fact.ts";

/** The kind of {@link ran}; the engine answers it itself, and no host is asked. */
export const ranKind = "ran";

/**
 * The fact that this task's steps have run in this run: false before, true after. For acts that leave nothing to look
 * at; a task that wants it true acts every time.
 */
export function ran(label: string): HostFact<boolean> {
  return { kind: ranKind, key: label, facets: [] };
}
