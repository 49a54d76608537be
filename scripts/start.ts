/**
 * `npm start`: demonstrates furrow's main job on real input. A throwaway systemd host takes the place of a cloud VM;
 * the Harvester playbook runs against it over SSH, first in check mode, then for real, and then once more. `npm run
 * stop` removes the host.
 */
import { isFurrowError } from "../src/core/errors.ts";
import { labRequirements } from "../src/lab/index.ts";
import { startInLab } from "./start/in-lab.ts";
import { startLocally } from "./start/locally.ts";

const { root, debian } = await labRequirements();
try {
  process.exitCode =
    root && debian ? await startInLab() : await startLocally(root ? "this is not Debian" : "this user is not root");
} catch (error) {
  if (!isFurrowError(error)) throw error;
  const { what, hint, details = [] } = error.failure;
  process.stderr.write(
    `${[`${error.code}  ${what}`, ...details, hint && `  hint  ${hint}`].filter(Boolean).join("\n")}\n`,
  );
  process.exitCode = 1;
}
