import type { Targets } from "../hosts/targets.ts";
import type { Program } from "../measure/program.ts";
import type { PlanName } from "../workloads/plan.ts";

/** The work that a tool must do. */
export interface Errand {
  readonly plan: PlanName;
  readonly check: boolean;
  readonly targets: Targets;
  /** Folder on this machine that contains the tree of `workloads/tree.ts`. */
  readonly tree: string;
  /** The file of `workloads/big.ts` on this machine. */
  readonly big: string;
}

/** A way to bring hosts into the state that a plan describes. */
export interface Tool {
  readonly name: string;
  /** Debian packages that the tool needs on this machine. */
  readonly packages: readonly string[];
  /** True if the tool is so slow that it gets fewer rounds. */
  readonly slow: boolean;
  /** The program that does the job; undefined if the tool cannot do it. */
  program(errand: Errand): Program | undefined;
  /** The number of changes that the tool's output reports; undefined if the output does not say. */
  changes(output: string): number | undefined;
}
