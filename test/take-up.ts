import { playbookOf, Screens } from "./screens/screens.ts";

/**
 * Before the tests of hosts: one run on this machine takes up what unit tests cut off here on purpose. Else the first
 * test whose output is compared shows a warning about a run that is not its own.
 */
export async function setup(): Promise<void> {
  const here = new Screens("", "");
  try {
    here.put("nothing.ts", playbookOf('command({ command: "true", always: true }),', { imports: "command" }));
    const { code, text } = await here.run(["run", "nothing.ts", "-i", "local"]);
    if (code !== 0) throw new Error(`the run before the tests failed:\n${text}`);
  } finally {
    here.remove();
  }
}
