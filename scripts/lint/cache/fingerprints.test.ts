import { expect, test } from "vitest";
import { fingerprints } from "./fingerprints.ts";

const files = {
  "src/a.ts": 'import { b } from "./b.ts";\nimport type { T } from "furrow/tasks";\n',
  "src/b.ts": 'export { c } from "../lib/c.ts";\nimport fs from "node:fs";\n',
  "lib/c.ts": 'const late = await import("./d.ts");\n',
  "lib/d.ts": "",
  "tasks/index.ts": 'import "./e.ts";\n',
  "tasks/e.ts": "",
};
const entries = new Map([["furrow/tasks", "tasks/index.ts"]]);

function of(changed: Partial<typeof files> = {}, common = "1"): Record<string, string> {
  const prints = fingerprints(new Map(Object.entries({ ...files, ...changed })), entries, common);
  return Object.fromEntries(prints);
}

/** The files that must be linted again after a change. */
function affected(changed: Partial<typeof files>): string[] {
  const [before, after] = [of(), of(changed)];
  return Object.keys(files).filter((path) => before[path] !== after[path]);
}

test.each([
  ["lib/d.ts", ["src/a.ts", "src/b.ts", "lib/c.ts", "lib/d.ts"]],
  ["tasks/e.ts", ["src/a.ts", "tasks/index.ts", "tasks/e.ts"]],
  ["src/b.ts", ["src/a.ts", "src/b.ts"]],
  ["src/a.ts", ["src/a.ts"]],
])("a change to %s affects it and every file that imports it, directly or not", (path, all) => {
  expect(affected({ [path]: "// changed\n" })).toEqual(all);
});

test("other rules, settings or packages affect all files", () => {
  const [before, after] = [of(), of({}, "2")];
  for (const path of Object.keys(files)) expect(after[path]).not.toBe(before[path]);
});

test("files that import each other in a circle are affected together", () => {
  const circle = { "tasks/e.ts": 'import "../src/a.ts";' };
  const [before, after] = [of(circle), of({ ...circle, "lib/d.ts": "// changed" })];
  expect(Object.keys(files).filter((path) => before[path] !== after[path])).toEqual(Object.keys(files));
});
