import type { BeforeBoot } from "../../core/facts/kind.ts";
import { sameData } from "../../core/facts/compare.ts";
import { type Fact, factId, type FactPattern, isControllerFact } from "../../core/facts/fact.ts";
import { isKind, kindOf } from "../../core/facts/kind.ts";
import { ranKind } from "../../core/facts/ran.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import type { Known } from "../paths/known-values.ts";

/** A reboot by a task, in check mode. */
export interface Boot {
  readonly by: string;
  /** True if it is unknown whether the reboot happens. */
  readonly perhaps: boolean;
  /** The known values right before the reboot. */
  readonly before: BeforeBoot;
}

/**
 * The value of a fact after a reboot, according to its kind's `afterBoot`; unknown if the kind does not have this
 * function.
 */
export function afterBoot(fact: Fact, value: unknown, { perhaps, before }: Boot): unknown {
  if (isControllerFact(fact) || fact.kind === ranKind || value === knownAfterApply || !isKind(fact.kind)) return value;
  const after = kindOf(fact.kind).afterBoot?.(fact.key, value, before) ?? knownAfterApply;
  return perhaps && !sameData(after, value) ? knownAfterApply : after;
}

/** A fact and its value right before a reboot. */
interface Before {
  readonly fact: Fact;
  readonly value: unknown;
}

/** Records a reboot by the task `by`. `known`: all values by fact id, including those that are read after this call. */
export function bootOf(
  by: string,
  perhaps: boolean,
  facts: readonly Before[],
  known: ReadonlyMap<string, Known>,
): Boot {
  // Check mode does not really reboot the host, so a value that is read later is the value before the reboot.
  const later = (id: string): unknown => {
    const found = known.get(id);
    return found?.by === undefined ? found?.value : undefined;
  };
  const snapshot = new Map(facts.map(({ fact, value }) => [factId(fact), value]));
  return { by, perhaps, before: (id) => snapshot.get(id) ?? later(id) };
}

/**
 * The facts that become unknown at a reboot because another fact changes, e.g. everything below a mount that
 * disappears.
 */
export function unknownAfterBoot(boot: Boot, facts: readonly Before[]): readonly FactPattern[] {
  return facts.flatMap(({ fact, value }) => {
    if (isControllerFact(fact) || !isKind(fact.kind) || value === undefined || value === knownAfterApply) return [];
    const after = afterBoot(fact, value, boot);
    return after === knownAfterApply ? [] : (kindOf(fact.kind).touches?.(fact.key, value, after) ?? []);
  });
}
