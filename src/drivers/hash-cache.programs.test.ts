import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "furrow-hash-cache-"));
const cache = join(folder, "furrow/hashes");
const path = join(folder, "image");
const { signal } = new AbortController();
vi.stubEnv("XDG_CACHE_HOME", folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
afterEach(() => vi.resetModules());

/** The hash as a new process computes it. */
async function hash(): Promise<string> {
  vi.resetModules();
  return (await import("./hash-cache.ts")).cachedHash(path, signal);
}
const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const large = (byte: number): Buffer => Buffer.alloc(5 * 1024 * 1024, byte);

test("hashes a large file once, and again only if the file has changed", async () => {
  writeFileSync(path, large(1));
  expect(await hash()).toBe(sha256(large(1)));
  expect(() => readdirSync(cache)).toThrow("ENOENT");

  await sleep(2100);
  expect(await hash()).toBe(sha256(large(1)));
  const [entry = ""] = readdirSync(cache);
  const line = readFileSync(join(cache, entry), "utf8");
  expect(line).toContain(sha256(large(1)));
  // Proves that the cached hash is used and not computed again, because the cache now contains a hash that the file
  // cannot have.
  writeFileSync(join(cache, entry), line.replace(/[0-9a-f]{64}/, "f".repeat(64)));
  expect(await hash()).toBe("f".repeat(64));

  utimesSync(path, new Date(), new Date());
  expect(await hash()).toBe(sha256(large(1)));
  writeFileSync(path, large(2));
  expect(await hash()).toBe(sha256(large(2)));
  writeFileSync(join(cache, entry), "garbage");
  expect(await hash()).toBe(sha256(large(2)));
});

test("reads a file once for concurrent requests in a process, and does not cache small files or failures", async () => {
  const { cachedHash } = await import("./hash-cache.ts");
  writeFileSync(path, "small");
  const both = await Promise.all([cachedHash(path, signal), cachedHash(path, signal)]);
  expect(both).toEqual([sha256(Buffer.from("small")), sha256(Buffer.from("small"))]);
  writeFileSync(path, "other");
  expect(await cachedHash(path, signal)).toBe(sha256(Buffer.from("other")));
  await expect(cachedHash(join(folder, "none"), signal)).rejects.toMatchObject({ code: "ENOENT" });
});
