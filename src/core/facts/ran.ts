import { type Fact, type FactPattern, type HostFact, isControllerFact } from "./fact.ts";

/** The kind of {@link ran}. The engine answers questions of this kind by itself, without asking a host. */
export const ranKind = "ran";

/** The type of {@link ran}. */
export interface RanFact extends HostFact<boolean> {
  /** Facts whose change makes the action necessary again. */
  readonly until?: readonly FactPattern[];
}

/**
 * The fact that shows whether the task's steps have run in this run: false before, true after. Use this fact for
 * actions with no observable result (e.g. daemon-reload); a task that wants the fact to be true acts every time. If the
 * action is needed because of changes that check mode only predicts, name the changed facts in `until`: in check mode
 * the action then counts as done for later tasks with the same label, until one of these facts is predicted to change
 * again.
 */
export function ran(label: string, until?: readonly FactPattern[]): RanFact {
  return { kind: ranKind, key: label, facets: [], ...(until && { until }) };
}

/** True for the fact that {@link ran} returns. */
export function isRan(fact: Fact): fact is RanFact {
  return !isControllerFact(fact) && fact.kind === ranKind;
}
