import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { folders, sentPath, staleScripts, writeScripts } from "./sent.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-sent-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("generates one file for each script, and removes it when the script is removed", () => {
  for (const folder of Object.keys(folders)) mkdirSync(join(root, folder), { recursive: true });
  const [folder = ""] = Object.keys(folders);
  const script = join(root, folder, "say-it.sh");
  const path = sentPath(folder, "say-it");

  writeFileSync(script, "# why\nstep_body() {\n  echo it\n}\n");
  expect(staleScripts(root)).toEqual([path]);
  expect(writeScripts(root)).toEqual([`wrote ${path}`]);
  expect(readFileSync(join(root, path), "utf8")).toContain("export const sayIt = `_fc() {\necho it\n}`;\n");
  expect(staleScripts(root)).toEqual([]);

  rmSync(script);
  expect(staleScripts(root)).toEqual([path]);
  expect(writeScripts(root)).toEqual([`removed ${path}`]);
  expect(staleScripts(root)).toEqual([]);
});
