import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playbookOf, Screens } from "./screens/screens.ts";

/**
 * Before the tests of hosts: one run on this machine takes up what unit tests cut off here on purpose. Else the first
 * test whose output is compared shows a warning about a run that is not its own.
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

/** What tests cut off outside of runs is left alone until its lease is over: nothing else works here now, so it is. */
function outdate(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith("at.x")) writeFileSync(join(folder, name, "lease"), "0\n");
}
