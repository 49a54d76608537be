import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mutants } from "./mutants.ts";

const root = join(import.meta.dirname, "../..");
const programs = 10_000;
let folder = "";
const killedAfter: Record<string, number> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-mutants-"));
  mkdirSync(join(folder, "test"));
  for (const part of [
    "src/core",
    "src/engine",
    "src/transport/simulated.ts",
    "src/transport/outside.ts",
    "src/transport/become.ts",
    "src/transport/shell",
    "src/transport/frame",
    "test/engine",
    "test/simulation",
    "test/seeded.ts",
  ]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  const counts = Object.values(killedAfter).toSorted((a, b) => a - b);
  process.stdout.write(
    `${counts.length} mutants of the engine killed, the slowest after ${counts.at(-1) ?? 0} playbooks\n`,
  );
});

/** Runs the comparison in the copy; gives the number of playbooks after which it failed, or undefined if it did not. */
function playbooksUntilFailure(mode: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const runner = join(folder, "test/engine/mutant-run.ts");
    execFile(process.execPath, [runner, mode, String(programs)], { timeout: 120_000 }, (error, stdout, stderr) => {
      if (!error) resolve(undefined);
      else if (error.code === 1 && /^\d+\n$/.test(stdout)) resolve(Number(stdout));
      else if (error.killed === true) resolve(programs);
      else reject(new Error(stderr));
    });
  });
}

test("there are at least 50 mutants, each a single place of today's source", () => {
  expect(mutants.length).toBeGreaterThanOrEqual(50);
  for (const { name, file, from } of mutants) {
    const pieces = readFileSync(join(root, "src", file), "utf8").split(from).length - 1;
    expect({ name, pieces }).toEqual({ name, pieces: 1 });
  }
});

describe("the property tests notice an engine that would", () => {
  test.for(mutants)("$name", async ({ name, file, from, to, mode }) => {
    const path = join(folder, "src", file);
    const source = readFileSync(path, "utf8");
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
    try {
      const count = await playbooksUntilFailure(mode);
      expect(count).toBeTypeOf("number");
      killedAfter[name] = count ?? 0;
    } finally {
      writeFileSync(path, source);
    }
  });
});
