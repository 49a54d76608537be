import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { treeDriver } from "./tree.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-tree-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(path: string, exclude: readonly string[] = []): Promise<unknown> {
  return treeDriver.read({ path, exclude: [...exclude] }, new AbortController().signal);
}

test("entries are sorted by name, in whatever order they were read", async () => {
  mkdirSync(join(folder, "b"));
  for (const name of ["c", "a", "b/z", "b/y"]) writeFileSync(join(folder, name), name);
  const { entries } = (await read(folder)) as { entries: Record<string, { type: string; size?: number }> };
  expect(Object.keys(entries)).toEqual(["a", "b", "b/y", "b/z", "c"]);
  expect(entries["b/z"]).toMatchObject({ type: "file", size: 3, executable: false });
});

test("a name with a line break was written to the host, and then the host's tree could not be read any more", async () => {
  writeFileSync(join(folder, "a\nb"), "");
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("contains a line break") as string,
  });
  expect(await read(folder, ["a*"])).toMatchObject({ entries: {} });
});

test("a source with a name that is not UTF-8 was reported as not a directory", async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff])]), "");
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("not UTF-8") as string,
  });
  expect(await read(join(folder, "none"))).toBe(absent);
});
