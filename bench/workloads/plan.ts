/**
 * The state that a workload's hosts must have, independent of any tool. Scripts are POSIX sh, run as root inside a
 * host.
 */
export interface Plan {
  readonly name: PlanName;
  /** The number of objects: tasks of a playbook. */
  readonly tasks: number;
  /** Removes all of it, and what tools remember of it. */
  readonly remove: string;
  /** Changes one object of it. */
  readonly drift: string;
  /** Reverts that change. */
  readonly repair: string;
  /** Prints everything that counts, one object per line. */
  readonly look: string;
  /** What `look` prints if everything is right; sorted. */
  readonly wanted: readonly string[];
  /** Paths with everything that a tool could have written to: a second pass must leave their ctime alone. */
  readonly paths: readonly string[];
}

/** The plans. */
export type PlanName = "fifty" | "one" | "tree" | "big" | "ten";

/** The line that `stat -c '%n %F %a %U:%G'` prints for root's directory or file. */
export function statLine(path: string, type: "directory" | "regular file", mode: string): string {
  return `${path} ${type} ${mode} root:root`;
}

/** How one file of a plan is changed, and reverted. */
export function drifting(path: string): Pick<Plan, "drift" | "repair"> {
  return { drift: `echo drifted >> ${path}`, repair: `! grep -qsx drifted ${path} || sed -i '/^drifted$/d' ${path}` };
}
