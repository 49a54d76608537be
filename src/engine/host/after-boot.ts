import type { BeforeBoot } from "../../core/kind.ts";
import { sameData } from "../../core/compare.ts";
import { type Fact, factId, type FactPattern, isControllerFact } from "../../core/fact.ts";
import { isKind, kindOf } from "../../core/kind.ts";
import { ranKind } from "../../core/ran.ts";
import { knownAfterApply } from "../../core/symbols.ts";

/** A boot that a task makes, in check mode. */
export interface Boot {
  readonly by: string;
  /** The boot may not come. */
  readonly perhaps: boolean;
  /** What is known of things right before it. */
  readonly before: BeforeBoot;
}

/** What a boot makes of a value, by the law of its kind; not knowable where the kind has none. */
export function behindBoot(fact: Fact, value: unknown, { perhaps, before }: Boot): unknown {
  if (isControllerFact(fact) || fact.kind === ranKind || value === knownAfterApply || !isKind(fact.kind)) return value;
  const after = kindOf(fact.kind).afterBoot?.(fact.key, value, before) ?? knownAfterApply;
  return perhaps && !sameData(after, value) ? knownAfterApply : after;
}

/** A thing as it is known right before a boot. */
interface Before {
  readonly fact: Fact;
  readonly value: unknown;
}

/** A boot that `by` makes; `later` gives what is read of other things afterwards, by the id of their fact. */
export function bootOf(by: string, perhaps: boolean, facts: readonly Before[], later: (id: string) => unknown): Boot {
  const snapshot = new Map(facts.map(({ fact, value }) => [factId(fact), value]));
  return { by, perhaps, before: (id) => snapshot.get(id) ?? later(id) };
}

/** What nobody knows behind a boot because something else is another then: what is below a mount that goes. */
export function shakenBy(boot: Boot, facts: readonly Before[]): readonly FactPattern[] {
  return facts.flatMap(({ fact, value }) => {
    if (isControllerFact(fact) || !isKind(fact.kind) || value === undefined || value === knownAfterApply) return [];
    const after = behindBoot(fact, value, boot);
    return after === knownAfterApply ? [] : (kindOf(fact.kind).touches?.(fact.key, value, after) ?? []);
  });
}
