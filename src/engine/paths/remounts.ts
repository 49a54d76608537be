import { type FactPattern, namesFact } from "../../core/facts/fact.ts";

/** Check mode: the tasks that may mount, unmount or remount file systems, with the facts that they declare to change. */
export class Remounts {
  /** True if a file system of the host is read-only, or a task may change what is mounted. */
  arePossible = false;
  readonly #declared: { readonly patterns: readonly FactPattern[]; readonly by: string }[] = [];

  /** Records that task `by` may change the facts that these patterns match. */
  note(patterns: readonly FactPattern[], by: string): void {
    const about = patterns.filter((pattern) => /^!?(mount:|\*|everything$)/.test(pattern));
    if (about.length === 0) return;
    this.arePossible = true;
    this.#declared.push({ patterns: about, by });
  }

  /** The last task that may have changed what is mounted at a path; undefined if none has. */
  lastAt(point: string): string | undefined {
    return this.#declared.findLast(({ patterns }) => namesFact(patterns, mountId(point)))?.by;
  }
}

/** The id of the fact about what is mounted at a path. */
export function mountId(point: string): string {
  return `mount:${point}`;
}
