import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { placeOf } from "../engine/mutants/mutant-place.ts";
import { nameMutants, type NameMutant } from "./mutants.ts";

const root = join(import.meta.dirname, "../..");
const cases = 400;
let folder = "";
let killed = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-name-mutants-"));
  for (const part of ["src", "tasks", "test", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  covered(`${killed} mutants of names and paths killed by random trees`);
});

/** Runs the comparison for a mutant in the copy. Returns true if the comparison found a difference. */
function notices({ seed = 1, byWay }: NameMutant): Promise<boolean> {
  const trees = join(folder, "trees");
  mkdirSync(trees, { recursive: true });
  const runner = join(folder, "test/paths/compare-run.ts");
  const what = [trees, String(seed), String(cases), "Infinity", ...(byWay ? ["ways"] : [])];
  const words = ["--mount", "--propagation", "private", process.execPath, runner, ...what];
  return new Promise((resolve, reject) => {
    execFile("unshare", words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (stdout.includes('"found"')) resolve(true);
      else if (error) reject(new Error(stderr || error.message));
      else resolve(false);
    });
  });
}

describe("random trees notice an engine that would", () => {
  test.for(nameMutants)("$name", async (mutant) => {
    const { path, source, mutated } = placeOf(folder, mutant);
    writeFileSync(path, mutated);
    try {
      expect(await notices(mutant)).toBe(true);
      killed += 1;
    } finally {
      writeFileSync(path, source);
    }
  });
});
