import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-pipe-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a playbook of slow commands whose output goes to `head -1`, and returns furrow's own exit code. */
function intoHead(last: string, pipe = "|"): number | null {
  const playbook = join(folder, "site.ts");
  writeFileSync(
    playbook,
    `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { command } from ${JSON.stringify(join(root, "tasks/index.ts"))};
const commands = ["sleep 0.3", "sleep 0.3", ${JSON.stringify(last)}];
const tasks = () => commands.map((text) => command({ command: ["sh", "-c", text], always: true }));
const talking = ({ facts }) => [facts.os.version && console.error("a message")];
export default playbook({ name: "A site", plays: [{ hosts: "all", tasks }, { hosts: "all", tasks: talking }] });
`,
  );
  const script = `"$0" "$@" --one-by-one ${pipe} head -1 >/dev/null; exit "\${PIPESTATUS[0]}"`;
  const words = [process.execPath, join(root, "bin/furrow.js"), "run", playbook, "-i", "local", "--no-types"];
  return spawnSync("bash", ["-c", script, ...words], { env: { ...process.env, XDG_STATE_HOME: folder } }).status;
}

test("a run whose output nobody reads performs all tasks and ends with its usual exit code", () => {
  const done = join(folder, "done");
  expect(intoHead(`touch ${done}`)).toBe(0);
  expect(existsSync(done)).toBe(true);
  expect(intoHead("exit 3")).toBe(1);
});

test("a run performs all tasks even if nobody reads its stderr either", () => {
  const done = join(folder, "done-too");
  expect(intoHead(`touch ${done}`, "2>&1 |")).toBe(0);
  expect(existsSync(done)).toBe(true);
});
