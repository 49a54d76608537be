import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeUnit } from "./new-unit.ts";
import { makeSandbox } from "./sandbox.ts";

const bin = resolve(import.meta.dirname, "../node_modules/.bin");

describe("npm run new", () => {
  let root: string;
  let made: string[][];

  function run(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(join(bin, command), args, { cwd: root, encoding: "utf8" });
    return status === 0 ? "" : stdout + stderr;
  }

  beforeAll(() => {
    root = makeSandbox(["src", "scripts", "test/own-modules.ts", "tasks/index.ts", "tasks/file"], []);
    made = [makeUnit(root, "task", "fileLine"), makeUnit(root, "task", "import"), makeUnit(root, "role", "web-host")];
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("names files and exports after the unit", () => {
    expect(readFileSync(join(root, "tasks/file-line/file-line.ts"), "utf8")).toMatch(
      /export const fileLine = task\(\{\n  name: "fileLine",/,
    );
    expect(readFileSync(join(root, "tasks/import/import.ts"), "utf8")).toMatch(
      /export const importTask = task\(\{\n  name: "import",/,
    );
    expect(readFileSync(join(root, "roles/web-host/role.ts"), "utf8")).toContain("export const webHost = role(");
  });

  it("makes what passes lint and its own tests as it is", () => {
    expect(run("oxfmt", ...made.flat())).toBe("");
    expect(run("oxlint", "--type-check", ...made.flat())).toBe("");
    expect(run("vitest", "run", "--project", "unit", ...made.flat())).toBe("");
  }, 60_000);

  it("refuses a name that is taken or is none", () => {
    expect(() => makeUnit(root, "task", "file-line")).toThrow("tasks/file-line is there already");
    expect(() => makeUnit(root, "task", "File Line")).toThrow('"File Line" is no name');
    expect(() => makeUnit(root, "role", "../x")).toThrow('"../x" is no name');
  });
});
