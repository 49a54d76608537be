import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { furrow } from "./furrow.ts";
import { heading, say } from "./words.ts";

/**
 * Runs the demonstration without a lab: a smaller playbook over the local transport, in a temporary folder that is
 * removed afterwards.
 */
export async function startLocally(reason: string): Promise<number> {
  say(`The full demonstration needs root on Debian (${reason}): a smaller playbook runs on this machine instead.`);
  const folder = mkdtempSync(join(tmpdir(), "furrow-start-"));
  const argv = ["playbooks/hello.ts", "-i", "local", "--var", `folder=${folder}`];
  try {
    heading("Check: what would change");
    const check = await furrow(["check", ...argv, "--diff"]);
    heading("Run");
    const run = await furrow(["run", ...argv]);
    heading("Run again");
    const again = await furrow(["run", ...argv]);
    if ([check, run, again].some(({ code }) => code !== 0)) return 1;
    return again.output.includes("0 changed") ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
