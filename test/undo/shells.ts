import { existsSync } from "node:fs";

/** The shell that Debian hosts use as `sh`. `npm test` runs the tests of an undo in this shell. */
export const quickShells = present([["dash"]]);

/** The other shells; only the suite `long` runs these tests in them, because each test starts hundreds of processes. */
export const otherShells = present([["busybox", "sh"], ["bash", "--norc"], ["ksh"], ["mksh"]]);

/** All shells, for tests that run only in the suite `long`. */
export const allShells = [...quickShells, ...otherShells];

function present(shells: readonly (readonly [string, ...string[]])[]): readonly (readonly string[])[] {
  return shells.filter(([shell]) => ["/usr/bin", "/bin"].some((folder) => existsSync(`${folder}/${shell}`)));
}
