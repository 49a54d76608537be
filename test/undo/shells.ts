import { existsSync } from "node:fs";

/** The shells that most hosts have as `sh`. `npm test` runs the tests of a play's undo in these shells. */
export const quickShells = present([["dash"], ["busybox", "sh"]]);

/** The other shells; only the suite `long` runs these tests in them, because each test starts hundreds of processes. */
export const otherShells = present([["bash", "--norc"], ["ksh"], ["mksh"]]);

function present(shells: readonly (readonly [string, ...string[]])[]): readonly (readonly string[])[] {
  return shells.filter(([shell]) => ["/usr/bin", "/bin"].some((folder) => existsSync(`${folder}/${shell}`)));
}
