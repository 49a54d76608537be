/**
 * `npm start`: demonstrates furrow's main job on real input. A throwaway systemd host takes the place of a cloud VM;
 * the Harvester playbook runs against it over SSH, first in check mode, then for real, and then once more. `npm run
 * stop` removes the host. `-- --disks 2` gives it a second data disk, for the harvester-add-disk playbook.
 */
import { isFurrowError } from "../src/core/errors.ts";
import { labRequirements } from "../src/lab/index.ts";
import { startInLab } from "./start/in-lab.ts";
import { startLocally } from "./start/locally.ts";

const [word, disks = "1", ...more] = process.argv.slice(2);
if (more.length > 0 || (word !== undefined && word !== "--disks") || !/^[1-8]$/.test(disks)) {
  process.stderr.write("npm start takes only --disks, with a number from 1 to 8: npm start -- --disks 2\n");
  process.exit(64);
}
const { root, debian } = await labRequirements();
try {
  process.exitCode =
    root && debian
      ? await startInLab(Number(disks))
      : await startLocally(root ? "this is not Debian" : "this user is not root");
} catch (error) {
  if (!isFurrowError(error)) throw error;
  const { what, hint, details = [] } = error.failure;
  process.stderr.write(
    `${[`${error.code}  ${what}`, ...details, hint && `  hint  ${hint}`].filter(Boolean).join("\n")}\n`,
  );
  process.exitCode = 1;
}
