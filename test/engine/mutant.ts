/** A wrong engine: one exact piece of its source replaced. The property tests must notice each of them. */
export interface Mutant {
  readonly name: string;
  /** Below `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The mode in which it must show; `lossy`: a run over lines that are lost; `simulated`: see test/simulation. */
  readonly mode: "apply" | "check" | "lossy" | "simulated";
}
