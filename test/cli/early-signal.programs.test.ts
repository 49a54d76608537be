import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-early-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Runs a playbook that sends this signal to furrow while furrow is still loading the playbook and checking its types.
 */
function interrupted(signal: string): { ended: NodeJS.Signals | null; isChanged: boolean } {
  const playbook = join(folder, "site.ts");
  const changed = join(folder, "changed");
  writeFileSync(
    playbook,
    `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { file } from ${JSON.stringify(join(root, "tasks/index.ts"))};
process.kill(process.pid, ${JSON.stringify(signal)});
while (true);
const tasks = () => [file({ path: ${JSON.stringify(changed)}, content: "" })];
export default playbook({ name: "A site", plays: [{ hosts: "all", tasks }] });
`,
  );
  const words = [join(root, "bin/furrow.js"), "run", playbook, "-i", "local"];
  const env = { ...process.env, XDG_STATE_HOME: folder };
  const { signal: ended } = spawnSync(process.execPath, words, { env, timeout: 60_000, killSignal: "SIGKILL" });
  return { ended, isChanged: existsSync(changed) };
}

test.each(["SIGINT", "SIGTERM"])("%s ends furrow at once while it loads, even in an endless loop", (signal) => {
  expect(interrupted(signal)).toEqual({ ended: signal, isChanged: false });
});
