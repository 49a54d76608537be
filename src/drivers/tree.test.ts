import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { absent } from "../core/facts/symbols.ts";
import { treeDriver } from "./tree.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-tree-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(path: string, exclude: readonly string[] = []): Promise<unknown> {
  return treeDriver.read({ path, exclude: [...exclude] }, new AbortController().signal);
}

test("sorts entries by name, regardless of the order in which they were read", async () => {
  mkdirSync(join(folder, "b"));
  for (const name of ["c", "a", "b/z", "b/y"]) writeFileSync(join(folder, name), name);
  const { entries } = (await read(folder)) as { entries: Record<string, { type: string; size?: number }> };
  expect(Object.keys(entries)).toEqual(["a", "b", "b/y", "b/z", "c"]);
  expect(entries["b/z"]).toMatchObject({ type: "file", size: 3, executable: false });
});

test("refuses a name with a line break, because a tree with such a name on the host could not be read", async () => {
  writeFileSync(join(folder, "a\nb"), "");
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("contains a line break") as string,
  });
  expect(await read(folder, ["a*"])).toMatchObject({ entries: {} });
});

test("refuses a link whose target contains a line break, because a tree with such a link on the host could not be read", async () => {
  symlinkSync("a\nb", join(folder, "link"));
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("the target of the link") as string,
  });
  expect(await read(folder, ["link"])).toMatchObject({ entries: {} });
});

test("reports a name in the source that is not UTF-8", async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff])]), "");
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("not UTF-8") as string,
  });
  expect(await read(join(folder, "none"))).toBe(absent);
});

test("refuses a file called __proto__, which would be lost silently", async () => {
  writeFileSync(join(folder, "__proto__"), "");
  await expect(read(folder)).rejects.toMatchObject({
    code: "E_FILE",
    message: expect.stringContaining("__proto__") as string,
  });
  expect(await read(folder, ["__proto__"])).toMatchObject({ path: folder });
});
