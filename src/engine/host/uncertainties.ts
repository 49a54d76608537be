import { type Fact, type FactPattern, isControllerFact } from "../../core/facts/fact.ts";
import { isThere, kindOf } from "../../core/facts/kind.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import type { Lookup, Uncertainty } from "../paths/known-values.ts";

/** Check mode: the facts that earlier tasks may have changed unpredictably. */
export class Uncertainties {
  readonly #index = new PatternIndex<Uncertainty>();

  /** Records, as event number `at`, that a task may have changed the facts that these patterns match. */
  add(at: number, patterns: readonly FactPattern[], uncertainty: Uncertainty): void {
    this.#index.add(at, patterns, uncertainty);
  }

  /** Returns the first task since event number `since` that may have changed a fact other than by providing it. */
  harm(id: string, since: number): string | undefined {
    return this.#index.first(id, since, ({ provides }) => !provides)?.by;
  }

  /**
   * Returns the value of a fact after the tasks since event number `since`; undefined if the host must be asked.
   * `known` looks up the value regardless of these tasks.
   */
  answer(asked: Fact, id: string, since: number, known: () => Lookup | undefined): Lookup | undefined {
    const first = this.#index.first(id, since);
    if (first === undefined) return known();
    const harm = this.harm(id, since);
    if (harm !== undefined || !decidesByPresence(asked)) return { value: knownAfterApply, by: first.by };
    // Providing adds missing things and does not change existing ones, so an existing thing keeps its value.
    const found = known();
    if (found === undefined || (found.value !== knownAfterApply && isThere(asked, found.value))) return found;
    const sure = this.#index.first(id, since, ({ certainly }) => certainly?.has(id) === true);
    return sure ? { value: anythingOf(asked), by: sure.by } : { value: knownAfterApply, by: first.by };
  }
}

/** True for a fact about a thing that its task needs: the task refuses if the thing is missing or of another type. */
function decidesByPresence(fact: Fact): boolean {
  return !isControllerFact(fact) && Array.isArray(fact.mayRefuse);
}

/** The value of a thing about which nothing is known except that it exists. */
function anythingOf(fact: Fact): unknown {
  return isControllerFact(fact) ? knownAfterApply : (kindOf(fact.kind).anything ?? knownAfterApply);
}
