import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import * as furrow from "furrow";
import * as t from "furrow/tasks";
import * as authoring from "../src/authoring.ts";
import * as tasks from "../tasks/index.ts";

const root = resolve(import.meta.dirname, "..");

it("inside the repository, the package's entry points are the sources themselves", () => {
  expect(furrow.playbook).toBe(authoring.playbook);
  expect(t.file).toBe(tasks.file);
});

it("Node resolves the package's entry points the same way without a test runner", () => {
  const code = `
    const [door, source] = [await import("furrow/tasks"), await import("./tasks/index.ts")];
    console.log(door === source, (await import("furrow")).z === (await import("./src/authoring.ts")).z);`;
  const run = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: root, encoding: "utf8" });
  expect(run).toMatchObject({ stdout: "true true\n", stderr: "" });
});

// Exports are a promise to users, so the diff of these files shows every added or removed name.
it.each([
  ["furrow", "furrow.txt"],
  ["furrow/facts", "facts.txt"],
  ["furrow/tasks", "tasks.txt"],
  ["furrow/testing", "testing.txt"],
  ["furrow/cloud", "cloud.txt"],
  ["furrow/lab", "lab.txt"],
])("the entry point %s exports exactly the promised names", async (door, file) => {
  const names = Object.keys((await import(door)) as object).toSorted();
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(`doors/${file}`);
});
