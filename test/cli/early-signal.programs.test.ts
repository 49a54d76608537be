import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-early-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Runs a playbook that sends this signal to furrow the given number of times, while furrow loads it and checks its
 * types.
 */
function interrupted(signal: string, times: number): { status: number | null; output: string; isChanged: boolean } {
  const playbook = join(folder, "site.ts");
  const changed = join(folder, "changed");
  writeFileSync(
    playbook,
    `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { file } from ${JSON.stringify(join(root, "tasks/index.ts"))};
for (let sent = 0; sent < ${times}; sent += 1) {
  process.kill(process.pid, ${JSON.stringify(signal)});
  await new Promise((done) => setTimeout(done, 50));
}
const tasks = () => [file({ path: ${JSON.stringify(changed)}, content: "" })];
export default playbook({ name: "A site", plays: [{ hosts: "all", tasks }] });
`,
  );
  const words = [join(root, "bin/furrow.js"), "run", playbook, "-i", "local"];
  const env = { ...process.env, XDG_STATE_HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
  return { status, output: stdout + stderr, isChanged: existsSync(changed) };
}

test.each([
  { signal: "SIGINT", times: 1 },
  { signal: "SIGINT", times: 2 },
  { signal: "SIGTERM", times: 1 },
])("ends a run without changes if $signal arrives $times times while furrow loads", ({ signal, times }) => {
  const { status, output, isChanged } = interrupted(signal, times);
  expect(isChanged).toBe(false);
  expect(output).toContain("E_INTERRUPTED");
  expect(status).toBe(130);
});
