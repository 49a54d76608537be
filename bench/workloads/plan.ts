/** What a workload's hosts shall hold, said without any tool. Scripts are POSIX sh, run as root inside a host. */
export interface Plan {
  readonly name: PlanName;
  /** How many things it is: tasks of a playbook. */
  readonly tasks: number;
  /** Takes all of it away, and what tools remember of it. */
  readonly remove: string;
  /** Changes one thing of it. */
  readonly drift: string;
  /** Takes that change back. */
  readonly mend: string;
  /** Prints all of it that counts, one thing a line. */
  readonly look: string;
  /** What `look` prints where all is as it shall be; sorted. */
  readonly wanted: readonly string[];
  /** Paths with everything that a tool could have written to: a second pass must leave their ctime as it is. */
  readonly paths: readonly string[];
}

/** The plans. */
export type PlanName = "fifty" | "one" | "tree" | "big" | "ten";

/** The line that `stat -c '%n %F %a %U:%G'` prints of a directory or file of root's. */
export function statLine(path: string, type: "directory" | "regular file", mode: string): string {
  return `${path} ${type} ${mode} root:root`;
}

/** How one file of a plan is changed, and changed back. */
export function drifting(path: string): Pick<Plan, "drift" | "mend"> {
  return { drift: `echo drifted >> ${path}`, mend: `! grep -qsx drifted ${path} || sed -i '/^drifted$/d' ${path}` };
}
