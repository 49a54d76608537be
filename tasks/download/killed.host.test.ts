import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { content, serve, whole } from "../../test/web-server.ts";
import { downloadScript } from "./script.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-killed-"));
const sha256 = createHash("sha256").update(content).digest("hex");
let base = "";
let close: () => void = () => undefined;
let sent = 0;

beforeAll(async () => {
  // The server is slow, so a kill interrupts the download: it sends a twentieth of the file every 20 ms.
  ({ base, close } = await serve((request, response) => {
    const write = response.end.bind(response) as (chunk: Buffer) => void;
    response.end = ((chunk: Buffer) => {
      const piece = content.length / 20;
      const next = (at: number): void => {
        if (response.destroyed) return;
        sent += Math.max(0, Math.min(piece, chunk.length - at));
        if (at + piece >= chunk.length) write(chunk.subarray(at));
        else response.write(chunk.subarray(at, at + piece), () => setTimeout(next, 20, at + piece));
      };
      next(0);
      return response;
    }) as never;
    whole(request, response, false);
  }));
});
afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
});

/**
 * Runs the script once. If `ms` is given, kills it after that time, with everything it started. Returns the exit code,
 * or null.
 */
const run = (place: string, ms?: number): Promise<number | null> =>
  new Promise((resolve) => {
    const words = [`${base}/f`, join(place, "f"), join(place, ".f.part"), "sha256", sha256, "5", "5", "3"];
    const rest = ["0600", "", "", join(place, "stamps/x"), ""];
    const child = spawn("sh", ["-c", downloadScript, "download", ...words, ...rest], {
      detached: true,
      stdio: ["ignore", "ignore", "ignore"],
    });
    const timer = ms === undefined ? undefined : setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), ms);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });

test("finishes a download that is killed repeatedly, never exposes a partial file, and downloads few bytes twice", async () => {
  const place = mkdtempSync(join(folder, "x"));
  for (const ms of [5, 40, 90, 130, 170, 210, 150, 60]) {
    await run(place, ms);
    const shown = readdirSync(place).includes("f") ? readFileSync(join(place, "f")) : content;
    expect(shown.equals(content)).toBe(true);
  }
  expect(await run(place)).toBe(0);
  expect(readFileSync(join(place, "f")).equals(content)).toBe(true);
  expect(readdirSync(place).toSorted()).toEqual(["f", "stamps"]);
  expect(readFileSync(join(place, "stamps/x"), "utf8")).toContain(`sha256=${sha256}`);
  expect(sent).toBeLessThan(content.length * 3);
});
