import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeUnit } from "./new-unit.ts";
import { makeSandbox } from "./sandbox.ts";

const bin = resolve(import.meta.dirname, "../node_modules/.bin");
let root: string;
let made: string[];

beforeAll(() => {
  root = makeSandbox(
    ["src", "scripts", "test/own-modules.ts", "test/missing-programs.ts", "tasks/index.ts", "tasks/file"],
    [],
  );
  made = [
    ...makeUnit(root, "task", "fileLine"),
    ...makeUnit(root, "task", "import"),
    ...makeUnit(root, "role", "web-host"),
  ];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ["oxfmt", []],
  ["oxlint", ["--type-check"]],
  ["vitest", ["run", "--project", "unit"]],
])("what npm run new makes passes %s as it is", (command, args) => {
  const { status, stdout, stderr } = spawnSync(join(bin, command), [...args, ...made], { cwd: root, encoding: "utf8" });
  expect(status === 0 ? "" : stdout + stderr).toBe("");
});
