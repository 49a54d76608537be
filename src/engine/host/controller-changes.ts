import { type Fact, factId, type FactPattern, isControllerFact } from "../../core/facts/fact.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";

/**
 * Tracks which controller facts were changed by calls and fetches on the controller. All hosts in a run share one
 * controller, so a change made for one host changes the answer for all.
 */
export class ControllerChanges {
  readonly #changed = new PatternIndex<undefined>();
  #clock = 0;

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
