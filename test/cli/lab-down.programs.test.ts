import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { labDown } from "../../src/lab/index.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-lab-down-"));
afterAll(() => rmSync(folder, { recursive: true }));
const stateDir = join(folder, "state");

function down(...words: readonly string[]): { readonly code: number | null; readonly err: string } {
  const argv = [join(root, "bin/furrow.js"), "lab", "down", ...words];
  const env = { ...process.env, FURROW_LAB_DIR: stateDir };
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  return { code: status, err: stderr };
}

test("furrow lab down says that no lab has the given name, and silently removes an incomplete lab", () => {
  mkdirSync(join(stateDir, "labs", "demo"), { recursive: true });
  const wrong = down("--name", "dmo");
  expect(wrong.code).toBe(1);
  expect(wrong.err).toBe(`E_LAB  no lab is named "dmo"\n  hint  Write --name demo\n`);
  expect(down("--name", "demo")).toEqual({ code: 0, err: "" });
  expect(existsSync(join(stateDir, "labs", "demo"))).toBe(false);
  const none = down();
  expect(none.code).toBe(1);
  expect(none.err).toBe(`E_LAB  no lab is named "lab"\n  hint  Run furrow lab list to see all labs\n`);
  expect(down("--all")).toEqual({ code: 0, err: "" });
});

test("furrow lab down removes nothing if the name points outside the folder of labs", async () => {
  const kept = join(folder, "kept");
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, "file"), "x");
  const { code, err } = down("--name", "../../kept");
  expect([code, err]).toEqual([1, expect.stringMatching(/^E_LAB {2}a lab cannot have this name/)]);
  await expect(labDown({ name: "../../kept", stateDir })).rejects.toMatchObject({ code: "E_LAB" });
  expect(existsSync(join(kept, "file"))).toBe(true);
  await expect(labDown({ name: "never-there", stateDir })).resolves.toBeUndefined();
});
