import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fileDriver } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-place-"));
const file = join(folder, "file");
const directory = join(folder, "directory");
writeFileSync(file, "");
mkdirSync(directory);
execFileSync("chattr", ["+i", file, directory]);
afterAll(() => {
  execFileSync("chattr", ["-i", file, directory]);
  rmSync(folder, { recursive: true });
});

test.each([
  { what: "an immutable file", path: file },
  { what: "a new file in an immutable directory", path: join(directory, "new") },
])("$what on the controller cannot be written, even by root", async ({ path }) => {
  const answer = fileDriver.read({ path, writable: true }, new AbortController().signal);
  await expect(answer).rejects.toMatchObject({
    code: "E_FILE",
    failure: { hint: "Remove the immutable attribute that lsattr shows, or choose another path" },
  });
});
