import { type FactPattern, namesFact } from "../../core/facts/fact.ts";

/**
 * Check mode: the tasks that may change something for which no fact has a prediction (mounts, attributes of files),
 * with the facts that they declare as changed.
 */
export class Disturbances {
  /** True if a file system on the host is read-only, or a task may change what is mounted. */
  mayRemount = false;
  readonly #declared: { readonly patterns: readonly FactPattern[]; readonly by: string }[] = [];

  /** Records that task `by` may change the facts that these patterns match. */
  note(patterns: readonly FactPattern[], by: string): void {
    if (patterns.length === 0) return;
    this.mayRemount ||= patterns.some((pattern) => /^!?(mount:|\*|everything$)/.test(pattern));
    this.#declared.push({ patterns, by });
  }

  /** The last task that may have changed the fact with this id; undefined if there is no such task. */
  lastOf(id: string): string | undefined {
    return this.#declared.findLast(({ patterns }) => namesFact(patterns, id))?.by;
  }
}

/** The id of the fact about what is mounted at a path. */
export function mountId(point: string): string {
  return `mount:${point}`;
}
