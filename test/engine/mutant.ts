import type { Edit } from "./mutant-place.ts";

/** A wrong engine: one piece of its source replaced. The property tests must notice each of them. */
export interface Mutant extends Edit {
  /** The mode in which it must show; `lossy`: a run over lines that are lost; `simulated`: see test/simulation. */
  readonly mode: "apply" | "check" | "lossy" | "simulated";
}
