import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { runMutants } from "./run-mutants.ts";

/** A copy of the sources in which each mutant is tried. About 30 s in all on two cores at rest. */
const root = join(import.meta.dirname, "../..");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-run-mutants-"));
  for (const part of ["src", "tasks", "test", "package.json", "tsconfig.json", "vitest.config.ts"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** True where all tests of these files pass in the copy. */
function pass(...files: readonly string[]): Promise<boolean> {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--project", "unit", "--bail", "1", "--testTimeout", "5000", ...files];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, timeout: 120_000 }, (error) => resolve(error === null));
  });
}

test("the tests that must notice mutants pass without one", { timeout: 180_000 }, async () => {
  expect(await pass(...new Set(runMutants.map((mutant) => mutant.test)))).toBe(true);
});

test.for(runMutants)("a test notices an engine that would $name", { timeout: 180_000 }, async (mutant) => {
  const path = join(folder, "src", mutant.file);
  const source = readFileSync(path, "utf8");
  expect(source.split(mutant.from).length - 1).toBe(1);
  writeFileSync(
    path,
    source.replace(mutant.from, () => mutant.to),
  );
  try {
    expect(await pass(mutant.test)).toBe(false);
  } finally {
    writeFileSync(path, source);
  }
});

test("they are counted", () => {
  covered(`${runMutants.length} mutants of runs of several hosts killed`);
  expect(runMutants.length).toBeGreaterThanOrEqual(4);
});
