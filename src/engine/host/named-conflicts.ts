import type { FurrowError } from "../../core/errors.ts";
import { isFurrowError } from "../../core/errors.ts";
import type { Kept } from "../../core/authoring/task-definition.ts";
import { checkNamedConflicts, isUnconditional } from "../plan/conflicts/conflicts.ts";
import { keptByParams, refuseTwoKeepers } from "../plan/conflicts/keeper-conflicts.ts";
import { type RetargetedLink, retargetedLinks, namesWith } from "./retargeted-links.ts";
import type { PathNames } from "../paths/path-names.ts";
import { mainTasks, type Planned, type PlannedTask } from "../plan/plan.ts";

/**
 * Finds conflicts between tasks in one host's plan that refer to the same thing by different names. The tasks are
 * compared as soon as the host, or a prediction in check mode, shows how names resolve. In most plays, no thing has two
 * names, and the check costs only one comparison per task.
 *
 * If tasks in the plan retarget a link, names are compared twice: as each task will find them, and as the whole plan
 * leaves them, which is how the next run finds them.
 */
export class NamedConflicts {
  readonly #tasks: readonly PlannedTask[];
  readonly #order: ReadonlyMap<string, number>;
  readonly #namesFor: (task: PlannedTask) => PathNames;
  /** For each host, the version of its names at the last comparison. */
  readonly #seen = new WeakMap<PathNames, number>();
  #found: FurrowError | undefined;
  /** The links that tasks in the plan retarget, by the names that were known at the last comparison. */
  #links: readonly RetargetedLink[] = [];
  /** The running task's position in the plan. */
  #at = 0;
  /** The things that the tasks begun so far manage, by the id of the task. */
  readonly #kept = new Map<string, readonly Kept[]>();

  /** `namesFor`: the names on the host that a task acts on, as far as they are known. */
  constructor(plan: readonly Planned[], namesFor: (task: PlannedTask) => PathNames) {
    this.#tasks = mainTasks(plan);
    this.#order = new Map(this.#tasks.map(({ id }, index) => [id, index]));
    this.#namesFor = namesFor;
  }

  /**
   * Returns a copy for a forecast. The copy refuses the same tasks that this object will refuse in their turn. Where
   * this object uses the names `present`, the copy uses the names `foreseen`.
   */
  copy(present: PathNames, foreseen: PathNames): NamedConflicts {
    const copy = new NamedConflicts(this.#tasks, (task) => {
      const names = this.#namesFor(task);
      return names === present ? foreseen : names;
    });
    copy.#found = this.#found;
    copy.#links = this.#links;
    copy.#at = this.#at;
    for (const [id, kept] of this.#kept) copy.#kept.set(id, kept);
    if (this.#seen.get(present) === present.version) copy.#seen.set(foreseen, foreseen.version);
    return copy;
  }

  /**
   * Throws FurrowError E_CONFLICTING_WANTS if two tasks conflict, according to the names that are known on the task's
   * host before `task`.
   */
  refuse(names: PathNames, task: PlannedTask): void {
    if (this.#found) throw this.#found;
    const before = this.#at;
    this.#at = this.#order.get(task.id) ?? before;
    if (names.isPlain) return;
    const isAsSeen = names.version === this.#seen.get(names);
    if (isAsSeen && !this.#links.some(({ index }) => index >= before && index < this.#at)) return;
    this.#seen.set(names, names.version);
    try {
      this.#compare();
    } catch (error) {
      // The conflict remains even if this task's failure is ignored.
      if (isFurrowError(error)) this.#found = error;
      throw error;
    }
  }

  /**
   * Throws FurrowError E_CONFLICTING_WANTS if the task manages a thing that another task in the plan manages in a
   * different way. `now`: the values of the task's facts, as far as they are known; the things that a task manages may
   * depend on them.
   */
  refuseKeeper(task: PlannedTask, params: unknown, now: Readonly<Record<string, unknown>>): void {
    const { keeps } = task.call.module.card;
    if (keeps === undefined || !isUnconditional(task)) return;
    this.#kept.set(task.id, keeps(params, now));
    refuseTwoKeepers(this.#tasks.filter(isUnconditional), (one) => this.#kept.get(one.id) ?? keptByParams(one));
  }

  #compare(): void {
    const present = this.#namesFor;
    this.#links = retargetedLinks(this.#tasks, present);
    const coming = this.#links.filter(({ index }) => index >= this.#at);
    if (coming.length === 0) {
      checkNamedConflicts(this.#tasks, present);
      return;
    }
    const made = new Map<string, PathNames>();
    const behind = (task: PlannedTask, links: readonly RetargetedLink[]): PathNames => {
      const own = links.filter((link) => link.task.target === task.target);
      // Each list is a prefix of the same list, so its length identifies it.
      const key = `${task.target} ${task.become ?? ""} ${own.length}`;
      const names = made.get(key) ?? namesWith(present(task), own);
      made.set(key, names);
      return names;
    };
    const whenItRuns = new Map(
      this.#tasks.map((task, at) => [
        task,
        behind(
          task,
          coming.filter(({ index }) => index < at),
        ),
      ]),
    );
    const atTheEnd = new Map(this.#tasks.map((task) => [task, behind(task, coming)]));
    for (const names of [whenItRuns, atTheEnd]) {
      checkNamedConflicts(this.#tasks, (task) => names.get(task) ?? present(task));
    }
  }
}
