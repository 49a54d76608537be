import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fileDriver } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-place-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "file"), "");
symlinkSync("nowhere", join(folder, "broken"));

const ask = (path: string): Promise<unknown> =>
  fileDriver.read({ path: join(folder, path), writable: true }, new AbortController().signal);

describe("a place for a file on the controller", () => {
  test.each(["file", "new", "a/b/new"])("is writable at %s, and nothing is created", async (path) => {
    expect(await ask(path)).toEqual({ writable: true });
    expect(existsSync(join(folder, "a"))).toBe(false);
  });

  test.each([
    { path: "file/new", current: "file is not a directory" },
    { path: "file/deep/new", current: "file is not a directory" },
    { path: "broken/new", current: "broken is a dangling link" },
  ])("is refused at $path", async ({ path, current }) => {
    const failure = { current: join(folder, current), hint: "Choose a path below a directory" };
    await expect(ask(path)).rejects.toMatchObject({ code: "E_FILE", failure });
  });
});
