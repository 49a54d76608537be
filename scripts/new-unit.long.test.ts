import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeUnit } from "./new-unit.ts";
import { makeSandbox } from "./sandbox.ts";

const bin = resolve(import.meta.dirname, "../node_modules/.bin");
let root: string;
let made: string[];

beforeAll(() => {
  root = makeSandbox(
    [
      ...linkedSources(),
      "scripts",
      "test/one-process.ts",
      "test/missing-programs.ts",
      "test/sample/deadline.ts",
      "test/sample/sequencer.ts",
      "test/seeded.ts",
      "tasks/index.ts",
      "tasks/file",
    ],
    [],
  );
  made = [
    ...makeUnit(root, "task", "fileLine"),
    ...makeUnit(root, "task", "import"),
    ...makeUnit(root, "role", "web-host"),
    ...makeUnit(root, "kind", "system/up-time"),
  ];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ["oxfmt", []],
  ["oxlint", ["--type-check"]],
  ["vitest", ["run", "--project", "unit"]],
])("npm run new creates files that pass %s without changes", { timeout: 600_000 }, (command, args) => {
  const { status, stdout, stderr } = spawnSync(join(bin, command), [...args, ...made], { cwd: root, encoding: "utf8" });
  expect(status === 0 ? "" : stdout + stderr).toBe("");
});

/**
 * Links to all of `src` except `src/facts/system`, so that a new file there is written into the sandbox and not through
 * a link.
 */
function linkedSources(): string[] {
  const within = (folder: string, left?: string): string[] =>
    readdirSync(join(import.meta.dirname, "..", folder))
      .filter((name) => name !== left)
      .map((name) => `${folder}/${name}`);
  return [...within("src", "facts"), ...within("src/facts", "system"), ...within("src/facts/system")];
}
