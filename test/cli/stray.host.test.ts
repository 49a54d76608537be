import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-stray-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const playbook = join(folder, "playbook.ts");
const begun = join(folder, "first");
const marker = join(folder, "second");

writeFileSync(
  join(folder, "inventory.ts"),
  `import { inventory } from "${root}/src/authoring.ts";
export default inventory({ hosts: { here: { transport: "local" } } });\n`,
);

/**
 * Runs a playbook with two tasks, the first of which takes one second. `code` is the playbook's third line: there,
 * `late` calls a function once the first task has begun.
 */
function furrow(code: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  writeFileSync(
    playbook,
    `import { existsSync } from "node:fs"; import { playbook } from "${root}/src/authoring.ts";
import * as t from "${root}/tasks/index.ts";
${code}
export default playbook({ name: "x", plays: [{ hosts: "all", tasks: () => [
  t.command({ command: ["sh", "-s"], stdin: "touch ${begun}; sleep 1", always: true }, { name: "first" }),
  t.file({ path: "${marker}", content: "x\\n" }),
] }] });
function late(act: () => void): void {
  if (existsSync("${begun}")) act();
  else setTimeout(late, 20, act);
}\n`,
  );
  rmSync(begun, { force: true });
  const [command = "run", ...rest] = words;
  const argv = [join(root, "bin/furrow.js"), command, playbook, "-i", join(folder, "inventory.ts"), ...rest];
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, argv, { encoding: "utf8", env, timeout: 200_000 });
}

describe("an error in the playbook's own timers or promises", () => {
  test.each([
    {
      code: 'late(() => { Promise.reject(new Error("stray")); });',
      what: "E_PLAYBOOK  a promise that was not awaited was rejected with Error",
      line: `${playbook}:3:29`,
      current: "stray",
    },
    {
      code: 'late(() => { throw new TypeError("late"); });',
      what: "E_PLAYBOOK  playbook code that was not awaited threw TypeError",
      line: `${playbook}:3:20`,
      current: "late",
    },
    {
      code: 'late(() => { Promise.reject("only a text"); });',
      what: "E_PLAYBOOK  a promise that was not awaited was rejected with something that is not an Error",
      line: "await it or catch its error",
      current: "only a text",
    },
    {
      code: 'late(() => { fetch("http://127.0.0.1:4/"); });',
      what: "E_PLAYBOOK  a promise that was not awaited was rejected with TypeError",
      line: "await it or catch its error",
      current: "127.0.0.1:4",
    },
  ])("lets the host finish its task, then prints the recap and the error: $code", ({ code, what, line, current }) => {
    const { status, stdout, stderr } = furrow(code);
    expect(stderr).toContain(what);
    expect(stderr).toMatch(new RegExp(`current +.*${current}`));
    expect(stderr).toContain(line);
    expect(stderr.match(/E_PLAYBOOK|E_BUG/g)).toEqual(["E_PLAYBOOK"]);
    expect(`${stdout}${stderr}`).not.toMatch(/triggerUncaughtException|node:internal/);
    expect(stdout).toMatch(/first/);
    expect(stdout).toMatch(/recap\n +here .*1 changed.*1 not reached/);
    expect(existsSync(marker)).toBe(false);
    expect(status).toBe(1);
  });

  test("if it occurs during loading, stops the run before any host is reached, and is reported by other commands too", () => {
    const code = 'Promise.reject(new Error("early"));\nawait new Promise((resolve) => setTimeout(resolve, 50));';
    for (const command of ["run", "check", "list"]) {
      const { status, stdout, stderr } = furrow(code, command);
      expect({ command, status }).toEqual({ command, status: 1 });
      expect(stderr).toContain("E_PLAYBOOK  a promise that was not awaited was rejected with Error");
      expect(stderr).toContain(`${playbook}:3:16`);
      expect(stderr).not.toMatch(/node:internal/);
      expect(stdout).not.toContain("play all");
    }
  });

  test("is reported as one event with --json, after the end of the run", () => {
    const code = 'late(() => { Promise.reject(new Error("stray")); });';
    const { status, stdout } = furrow(code, "run", "--json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; reason?: string; interrupted?: boolean });
    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: "E_PLAYBOOK" } });
    expect(events.at(-2)).toMatchObject({ type: "runFinished", interrupted: false });
    expect(events.find(({ type }) => type === "runStopping")?.reason).toMatch(/^a promise .* was rejected with Error/);
    expect(status).toBe(1);
  });
});
