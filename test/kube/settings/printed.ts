import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/**
 * Runs furrow as a process with `--json --diff`, and returns everything that it prints. Actors can run in the meantime.
 */
export async function printedBy(...args: readonly string[]): Promise<string> {
  const cwd = join(import.meta.dirname, "../../..");
  const child = spawn(process.execPath, ["bin/furrow.js", ...args, "--json", "--diff"], { cwd });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  await once(child, "close");
  return text;
}
