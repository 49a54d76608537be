import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { content, serve } from "../../test/web-server.ts";
import { downloadScript } from "./script.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-meter-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Takes about 3 s. */
test("prints the progress of a download", async () => {
  const { base, close } = await serve(({ url }, response) => {
    if (url === "/moved") return void response.writeHead(302, { location: "/file", "content-length": "0" }).end();
    response.setHeader("content-length", content.length);
    response.write(content.subarray(0, 1000));
    setTimeout(() => response.end(content.subarray(1000)), 2400);
  });
  try {
    const path = join(folder, "file");
    const words = [`${base}/moved`, path, `${path}.part`, "", "", "5", "5", "3", "", "", "", join(folder, "stamp"), ""];
    const said = await new Promise<string>((resolve) => {
      const child = execFile("/bin/sh", ["-c", downloadScript, "download", ...words], (_error, out) => resolve(out));
      child.stdin?.end("");
    });
    const lines = said.trim().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(1);
    for (const line of lines) expect(line).toMatch(new RegExp(`^furrow: \\d+ of ${content.length} bytes$`));
    expect(readdirSync(folder)).toEqual(["file"]);
  } finally {
    close();
  }
});
