import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("a SIGINT sent to the PID of bootstrap.js alone reaches the script, and bootstrap.js returns the script's exit code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-bootstrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "waits.ts");
  writeFileSync(
    script,
    `setTimeout(() => process.exit(9), 60_000);
process.on("SIGINT", () => process.exit(7));
console.log("ready");
`,
  );
  const child = spawn(process.execPath, [join(import.meta.dirname, "../bootstrap.js"), script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(7);
});
