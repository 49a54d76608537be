import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playbookOf, Screens } from "./screens/screens.ts";

/**
 * Runs before the host tests: one run on this machine takes over the work that unit tests interrupted here on purpose.
 * Otherwise the first test that compares output would show a warning about another run.
 */
export async function setup(): Promise<void> {
  outdate("/run/furrow");
  const here = new Screens("", "");
  try {
    here.put("nothing.ts", playbookOf('command({ command: "true", always: true }),', { imports: "command" }));
    const { code, text } = await here.run(["run", "nothing.ts", "-i", "local"]);
    if (code !== 0) throw new Error(`the run before the tests failed:\n${text}`);
  } finally {
    here.remove();
  }
}

/**
 * Expires the leases of the work that unit tests interrupted. This is safe because nothing else is running on this
 * machine now.
 */
function outdate(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith("at.x")) writeFileSync(join(folder, name, "lease"), "0\n");
}
