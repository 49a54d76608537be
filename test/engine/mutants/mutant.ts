import type { Edit } from "./mutant-place.ts";

/** A faulty engine: one part of its source is replaced. The property tests must detect every mutant. */
export interface Mutant extends Edit {
  /**
   * The mode in which the mutant must be detected. `lossy`: a run over breaking connections; `simulated`: see
   * test/simulation.
   */
  readonly mode: "apply" | "check" | "lossy" | "simulated";
}
