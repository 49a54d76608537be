import type { FurrowError } from "../core/errors.ts";
import { isFurrowError } from "../core/errors.ts";
import { checkNamedConflicts } from "./conflicts.ts";
import type { Host } from "./host.ts";
import type { Planned, PlannedTask } from "./plan.ts";

/**
 * Looks for conflicts between tasks of one host's plan whose names lead to the same thing, as soon as the host, or in check
 * mode a prediction, says where they lead. Most hosts and plays have no such names: then this costs one comparison a task.
 */
export class NamedConflicts {
  readonly #plan: readonly Planned[];
  readonly #hostFor: (task: PlannedTask) => Host;
  #seen = 0;
  #found: FurrowError | undefined;

  constructor(plan: readonly Planned[], hostFor: (task: PlannedTask) => Host) {
    this.#plan = plan;
    this.#hostFor = hostFor;
  }

  /** Throws FurrowError E_CONFLICTING_WANTS where two tasks are in conflict by what is known of this host now. */
  refuse({ knowledge: { names } }: Host): void {
    if (this.#found) throw this.#found;
    if (names.version === this.#seen || names.isPlain) return;
    this.#seen = names.version;
    try {
      checkNamedConflicts(this.#plan, (task) => this.#hostFor(task).knowledge.names);
    } catch (error) {
      // It stays one, whatever ignores the failure of this task.
      if (isFurrowError(error)) this.#found = error;
      throw error;
    }
  }
}
