import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const vitest = resolve(import.meta.dirname, "../../node_modules/.bin/vitest");
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "furrow-deadline-"));
  // A file that throws when it is imported, so a skip proves that it was not imported.
  writeFileSync(join(root, "imported.test.js"), 'throw new Error("imported");\n');
  // A file that takes eleven minutes before its second test.
  const late = `
    import { expect, it } from "vitest";
    const now = Date.now();
    it("begins", () => { Date.now = () => now + 11 * 60_000; });
    it("is late", () => expect.unreachable("begun"));
  `;
  writeFileSync(join(root, "late.test.js"), late);
  const test = { runner: join(import.meta.dirname, "deadline.ts") };
  writeFileSync(join(root, "vitest.config.js"), `export default ${JSON.stringify({ test })};\n`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function run(file: string, deadline: string | undefined): string {
  const args = ["run", file, "--root", root, "--reporter=verbose"];
  const env: NodeJS.ProcessEnv = { ...process.env };
  delete env["FURROW_DEADLINE"];
  if (deadline !== undefined) env["FURROW_DEADLINE"] = deadline;
  try {
    return execFileSync(vitest, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}

it("skips a file that would begin after the deadline, reports its name, and does not read it", () => {
  const said = run("imported", "1000");
  expect(said).toContain("imported.test.js (no time was left)");
  expect(said).toMatch(/Tests {2}1 skipped \(1\)/);
});

it("skips a test that would begin more than ten minutes after the deadline", () => {
  expect(run("late", String(Date.now() + 30_000))).toContain("1 passed | 1 skipped (2)");
  expect(run("late", String(Date.now() + 90_000))).toContain("begun");
});

it("runs a file that begins before the deadline, and any file if there is no deadline", () => {
  for (const deadline of [String(Date.now() + 60_000), undefined])
    expect(run("imported", deadline)).toContain("Error: imported");
});
