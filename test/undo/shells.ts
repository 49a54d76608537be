import { existsSync } from "node:fs";

/** The shells that most hosts have as `sh`. `npm test` runs the tests of a play's undo in these. */
export const quickShells = present([["dash"], ["busybox", "sh"]]);

/** The other shells in which the suite `long` runs these tests: each test starts hundreds of processes in each shell. */
export const otherShells = present([["bash", "--norc"], ["ksh"], ["mksh"]]);

function present(shells: readonly (readonly [string, ...string[]])[]): readonly (readonly string[])[] {
  return shells.filter(([shell]) => ["/usr/bin", "/bin"].some((folder) => existsSync(`${folder}/${shell}`)));
}
