import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { seal } from "../core/secret.ts";
import { absent } from "../core/symbols.ts";
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
  test("tells hash, size and mode, of links what they lead to", async () => {
    expect(await read({ path })).toEqual({ sha256, size: 8, path, mode: "0640" });
    expect(await read({ path: join(folder, "link") })).toMatchObject({ sha256 });
  });
  test("tells a keyed hash instead where the content is secret", async () => {
    expect(await read({ path, sealed: true })).toEqual({
      seal: seal(Buffer.from("content\n")),
      size: 8,
      path,
      mode: "0640",
    });
  });
  test("may be asked before its turn, unless a task changes that very file", () => {
    expect(fileDriver.ahead?.({ path: "package.json" })).toEqual([`file:${join(process.cwd(), "package.json")}`]);
  });
  test("tells what is not there", async () => {
    expect(await read({ path: join(folder, "none") })).toBe(absent);
    expect(await read({ path: join(path, "below") })).toBe(absent);
  });
  test("takes a relative path from where it was started", async () => {
    expect(await read({ path: "package.json" })).toMatchObject({ path: join(process.cwd(), "package.json") });
  });
  test.each([
    { title: "a directory", at: folder, current: "a directory" },
    { title: "a device", at: "/dev/null", current: "no regular file" },
    { title: "a link that leads nowhere", at: join(folder, "broken"), current: "a link that leads nowhere" },
  ])("refuses $title", async ({ at, current }) => {
    const failure = expect.objectContaining({ current }) as object;
    await expect(read({ path: at })).rejects.toThrow(expect.objectContaining({ code: "E_FILE", failure }) as Error);
  });
});
