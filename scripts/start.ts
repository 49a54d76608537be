/**
 * `npm start`: demonstrates furrow's main job on real input. A throwaway systemd host takes the place of a cloud VM;
 * the Harvester playbook runs against it over SSH, first in check mode, then for real, and then once more. `npm run
 * stop` removes the host. `-- --disks 2` gives it a second data disk, for the playbook harvester-add-disk.
 */
import { parseArgs } from "node:util";
import { isFurrowError } from "../src/core/errors.ts";
import { labRequirements } from "../src/lab/index.ts";
import { startInLab } from "./start/in-lab.ts";
import { startLocally } from "./start/locally.ts";

const { disks = "1" } = parseArgs({ options: { disks: { type: "string" } } }).values;
if (!/^[1-8]$/.test(disks)) {
  process.stderr.write(`--disks ${disks}: expected a number from 1 to 8\n`);
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
