import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-unfinished-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const changed = join(folder, "changed");

/** Writes a playbook whose code begins with `head`, and returns its path. */
function book(name: string, head: string, tasks = `() => [t.file({ path: "${changed}", content: "x" })]`): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import { playbook } from "${root}/src/authoring.ts"; import * as t from "${root}/tasks/index.ts";
${head}
export default playbook({ name: "x", plays: [{ hosts: "all", tasks: ${tasks} }] });\n`,
  );
  return path;
}

function furrow(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, XDG_STATE_HOME: folder, NO_COLOR: "1" };
  const argv = [join(root, "bin/furrow.js"), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    encoding: "utf8",
    env,
    timeout: 60_000,
    cwd: folder,
  });
  return { status, stdout, stderr };
}

const never = "await new Promise(() => {});";

describe("a load that never ends is an error, not a silent exit", () => {
  test.each(["run", "check", "list", "validate"])(
    "furrow %s with a top-level await that nothing resolves",
    (command) => {
      const { status, stderr } = furrow(command, book("hang.ts", never), "-i", "local", "--no-types");
      expect(stderr).toMatch(/E_PLAYBOOK {2}the playbook .*hang\.ts did not finish loading/);
      expect(status).toBe(1);
      expect(existsSync(changed)).toBe(false);
    },
  );

  test("two files that await import() each other", () => {
    writeFileSync(join(folder, "two.ts"), `const { mine } = await import("./one.ts");\nexport const yours = mine;\n`);
    const one = book("one.ts", `const { yours } = await import("./two.ts");\nexport const mine = 1;`);
    const { status, stderr } = furrow("check", one, "-i", "local", "--no-types");
    expect(stderr).toContain("one.ts did not finish loading");
    expect(status).toBe(1);
  });

  test("validate also reports the errors of the other playbooks", () => {
    const { status, stderr, stdout } = furrow(
      "validate",
      book("hang.ts", never),
      book("throw.ts", 'throw new Error("broken");'),
      book("right.ts", ""),
      "--no-types",
    );
    expect(stderr).toContain("hang.ts did not finish loading");
    expect(stderr).toContain("throw.ts threw Error while loading");
    expect(stdout).toContain("right.ts  ok");
    expect(status).toBe(1);
  });

  test.each([["ping"], ["inventory"], ["facts", "all"], ["exec", "all", "--", "true"]])(
    "furrow %s with an inventory",
    (command, ...more) => {
      const inventory = join(folder, "hang-inventory.ts");
      writeFileSync(inventory, `${never}\nexport default {};\n`);
      const { status, stderr } = furrow(command, "-i", inventory, ...more);
      expect(stderr).toMatch(/E_INVENTORY {2}the inventory .*hang-inventory\.ts did not finish loading/);
      expect(status).toBe(1);
    },
  );

  test.each([["list", book("right.ts", "")], ["inventory"]])("furrow %s with a source of hosts", (...command) => {
    const inventory = join(folder, "source.ts");
    writeFileSync(inventory, `export default { source: "rented", list: () => new Promise(() => {}) };\n`);
    const { status, stderr } = furrow(...command, "-i", inventory);
    expect(stderr).toMatch(/E_INVENTORY {2}the source rented of the inventory .*source\.ts did not finish/);
    expect(status).toBe(1);
  });
});

describe("a playbook that calls process.exit fails, and the error names the line", () => {
  test.each(["run", "check", "list", "validate"])("furrow %s, while the playbook is loaded", (command) => {
    const path = book("exit.ts", "process.exit(0);");
    const { status, stderr } = furrow(command, path, "-i", "local", "--no-types");
    expect(stderr).toContain("E_PLAYBOOK  your code ended furrow with process.exit(0)");
    expect(stderr).toContain("exit.ts:2:9");
    expect(status).toBe(1);
  });

  test.each(["run", "list", "validate"])("furrow %s, in the tasks function", (command) => {
    const path = book("exit-in-tasks.ts", "", "() => process.exit(3)");
    const { status, stderr } = furrow(command, path, "-i", "local", "--no-types");
    expect(stderr).toContain("E_PLAYBOOK  your code ended furrow with process.exit(3)");
    expect(stderr).toContain("exit-in-tasks.ts:3:");
    expect(status).toBe(1);
  });

  test("in a timer during a run, also as a line of JSON", () => {
    const path = book(
      "exit-later.ts",
      "setTimeout(() => process.exit(0), 300);",
      '() => [t.command({ command: ["sleep", "5"], always: true })]',
    );
    const { status, stdout, stderr } = furrow("run", path, "-i", "local", "--no-types", "--json");
    expect(stderr).toContain("exit-later.ts:2:");
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      type: "error",
      error: { code: "E_PLAYBOOK" },
    });
    expect(status).toBe(1);
  });

  test("after a failed run, in a timer that is still waiting, the exit code stays that of the run", () => {
    const path = book(
      "exit-after.ts",
      "setTimeout(() => process.exit(0), 4000);",
      '() => [t.command({ command: ["false"], always: true })]',
    );
    expect(furrow("run", path, "-i", "local", "--no-types").status).toBe(1);
  });
});
