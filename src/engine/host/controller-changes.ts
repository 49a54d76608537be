import { type Fact, factId, type FactPattern, isControllerFact } from "../../core/fact.ts";
import { PatternIndex } from "../../core/pattern-index.ts";

/**
 * What acts of the controller have changed of controller facts. There is one controller for all hosts of a run: what is
 * fetched or called on one host is another answer for all of them.
 */
export class ControllerChanges {
  readonly #changed = new PatternIndex<undefined>();
  #clock = 0;

  /** Numbers the changes so far. */
  get now(): number {
    return this.#clock;
  }

  /** Facts named by these patterns have changed. */
  note(patterns: readonly FactPattern[]): void {
    this.#clock += 1;
    this.#changed.add(this.#clock, patterns, undefined);
  }

  /** True for a controller fact that has changed since change number `since`. */
  concern(fact: Fact, since: number): boolean {
    return isControllerFact(fact) && this.#changed.names(factId(fact), since);
  }
}
