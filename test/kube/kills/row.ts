import type { Actor } from "../actors.ts";
import type { Cast, Rig } from "./rig.ts";

/** A playbook that changes a cluster, with everything that a test needs to kill it at any time. */
export interface Row {
  /** `gitops/images` */
  readonly playbook: string;
  /** What the playbook does in this row, if it has several rows. */
  readonly does?: string;
  /** The controllers that the playbook waits for. */
  readonly actors: readonly Actor[];
  /** The objects with which each attempt begins. */
  objects(rig: Rig): readonly object[];
  /** Prepares what an attempt needs besides its objects, while the actors are running. */
  begin?(rig: Rig, cast: Cast): Promise<void> | void;
  vars(rig: Rig): object;
  /** Parts of objects that differ between attempts, because they are random or count attempts. */
  readonly varies?: readonly RegExp[];
  /** Objects that a killed run may leave behind: `Token x`. */
  readonly leftovers?: RegExp;
  /** `up` and `down` start and stop what the row needs besides the API server. */
  up?(rig: Rig): Promise<void> | void;
  down?(): Promise<void> | void;
}
