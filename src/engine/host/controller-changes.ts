import { sameData } from "../../core/facts/compare.ts";
import type { CallStep } from "../../core/host/step.ts";
import { type Fact, factId, type FactPattern, isControllerFact, type Json } from "../../core/facts/fact.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";

/**
 * Tracks which controller facts were changed by calls and fetches on the controller. All hosts in a run share one
 * controller, so a change made for one host changes the answer for all.
 */
export class ControllerChanges {
  readonly #changed = new PatternIndex<undefined>();
  #clock = 0;

  /** The requests of rehearsed calls, by driver. */
  readonly #rehearsed = new Map<string, Json[]>();

  /**
   * Records that a call is planned. Returns the other requests that its driver will perform before it. A call that is
   * planned twice, for two hosts, is performed once.
   */
  planned({ driver, request }: Pick<CallStep, "driver" | "request">): readonly Json[] {
    const others = (this.#rehearsed.get(driver) ?? []).filter((one) => !sameData(one, request));
    this.#rehearsed.set(driver, [...others, request]);
    return others;
  }

  /** The number of changes so far. */
  get now(): number {
    return this.#clock;
  }

  /** Records that the facts matching these patterns have changed. */
  note(patterns: readonly FactPattern[]): void {
    this.#clock += 1;
    this.#changed.add(this.#clock, patterns, undefined);
  }

  /** True for a controller fact that has changed since change number `since`. */
  concern(fact: Fact, since: number): boolean {
    return isControllerFact(fact) && this.#changed.names(factId(fact), since);
  }
}
