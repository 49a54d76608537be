import { accessSync, constants } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Gives each test file its own `/run`, and with it its own `/run/furrow`, in which furrow records which run has locked
 * the host. Otherwise, test files that run at the same time would wait for each other's runs. Does nothing without
 * root.
 */
export function setup(): void {
  if (process.getuid?.() !== 0) return;
  const wrapper = fileURLToPath(new URL("private-run.sh", import.meta.url));
  accessSync(wrapper, constants.X_OK);
  // Vitest starts each test file with child_process.fork, which starts this program.
  process.env["FURROW_TEST_NODE"] = process.execPath;
  process.execPath = wrapper;
}
