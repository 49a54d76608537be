import type { Edit } from "./mutant-place.ts";

/** A wrong engine: one piece of its source is replaced. The property tests must notice every mutant. */
export interface Mutant extends Edit {
  /**
   * The mode in which it must be noticed. `lossy`: a run over breaking connections; `simulated`: see test/simulation.
   */
  readonly mode: "apply" | "check" | "lossy" | "simulated";
}
