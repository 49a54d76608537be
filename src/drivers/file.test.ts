import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { seal } from "../core/secrets/secret.ts";
import { absent } from "../core/facts/symbols.ts";
import { fileDriver } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-driver-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "file");
writeFileSync(path, "content\n");
chmodSync(path, 0o640);
symlinkSync(path, join(folder, "link"));
symlinkSync("nowhere", join(folder, "broken"));

const read = (request: object): Promise<unknown> => fileDriver.read(request as never, new AbortController().signal);
const sha256 = createHash("sha256").update("content\n").digest("hex");

describe("the file driver", () => {
  test("reports the hash, size and mode of a file, or those of a link's target", async () => {
    expect(await read({ path })).toEqual({ sha256, size: 8, path, mode: "0640" });
    expect(await read({ path: join(folder, "link") })).toMatchObject({ sha256 });
  });
  test("reports a keyed hash instead if the content is secret", async () => {
    expect(await read({ path, sealed: true })).toEqual({
      seal: seal(Buffer.from("content\n")),
      size: 8,
      path,
      mode: "0640",
    });
  });
  test("can read a file ahead unless a task changes it", () => {
    expect(fileDriver.ahead?.({ path: "package.json" })).toEqual([`file:${join(process.cwd(), "package.json")}`]);
  });
  test("reports a missing file as absent", async () => {
    expect(await read({ path: join(folder, "none") })).toBe(absent);
    expect(await read({ path: join(path, "below") })).toBe(absent);
  });
  test("resolves a relative path against furrow's working directory", async () => {
    expect(await read({ path: "package.json" })).toMatchObject({ path: join(process.cwd(), "package.json") });
  });
  test.each([
    { title: "a directory", at: folder, current: "a directory" },
    { title: "a device", at: "/dev/null", current: "not a regular file" },
    { title: "a dangling link", at: join(folder, "broken"), current: "a dangling link" },
  ])("refuses $title", async ({ at, current }) => {
    const failure = expect.objectContaining({ current }) as object;
    await expect(read({ path: at })).rejects.toThrow(expect.objectContaining({ code: "E_FILE", failure }) as Error);
  });
});
