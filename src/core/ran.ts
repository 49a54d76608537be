import { type Fact, type FactPattern, type HostFact, isControllerFact } from "./fact.ts";

/** The kind of {@link ran}; the engine answers it itself, and no host is asked. */
export const ranKind = "ran";

/** See {@link ran}. */
export interface RanFact extends HostFact<boolean> {
  /** Facts whose change makes the act necessary again. */
  readonly until?: readonly FactPattern[];
}

/**
 * The fact that this task's steps have run in this run: false before, true after. For acts that leave nothing to look
 * at; a task that wants it true acts every time. Where what makes the act necessary can only be foreseen, `until` names
 * it: in check mode the act then holds for later tasks with the same label, until one of these facts is to change again.
 */
export function ran(label: string, until?: readonly FactPattern[]): RanFact {
  return { kind: ranKind, key: label, facets: [], ...(until && { until }) };
}

/** True for the fact that the engine answers itself. */
export function isRan(fact: Fact): fact is RanFact {
  return !isControllerFact(fact) && fact.kind === ranKind;
}
