/**
 * The state that a workload's hosts must have, independent of any tool. Scripts are POSIX sh, run as root inside a
 * host.
 */
export interface Plan {
  readonly name: PlanName;
  /** The number of objects, which is also the number of tasks in a playbook. */
  readonly tasks: number;
  /** Removes all the objects, and everything that tools remember about them. */
  readonly remove: string;
  /** Changes one of the objects. */
  readonly drift: string;
  /** Reverts that change. */
  readonly repair: string;
  /** Prints the state of the objects, one per line. */
  readonly look: string;
  /** The output of `look` if everything is as planned; sorted. */
  readonly wanted: readonly string[];
  /** The paths of everything that a tool could have written to: a second pass must not change their ctime. */
  readonly paths: readonly string[];
}

/** The names of the plans. */
export type PlanName = "fifty" | "one" | "tree" | "big" | "ten";

/** The line that `stat -c '%n %F %a %U:%G'` prints for a directory or file owned by root. */
export function statLine(path: string, type: "directory" | "regular file", mode: string): string {
  return `${path} ${type} ${mode} root:root`;
}

/** The commands that change one file of a plan and revert that change. */
export function drifting(path: string): Pick<Plan, "drift" | "repair"> {
  return { drift: `echo drifted >> ${path}`, repair: `! grep -qsx drifted ${path} || sed -i '/^drifted$/d' ${path}` };
}
