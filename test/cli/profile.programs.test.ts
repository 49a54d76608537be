import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunEvent } from "../../src/core/events.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-times-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const playbook = join(folder, "site.ts");
writeFileSync(
  playbook,
  `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { file } from ${JSON.stringify(join(root, "tasks/file/file.ts"))};
export default playbook({
  name: "A site",
  plays: [{ hosts: "all", tasks: () => [file({ path: ${JSON.stringify(join(folder, "there"))}, content: "x" })] }],
});
`,
);

function furrow(...words: readonly string[]): string {
  return execFileSync(process.execPath, [join(root, "bin/furrow.js"), "run", playbook, "-i", "local", ...words], {
    encoding: "utf8",
    env: { ...process.env, XDG_STATE_HOME: folder, NO_COLOR: "1" },
  });
}

test(
  "--profile shows where the time went, as text and as JSON; without --profile nothing is measured",
  { timeout: 600_000 },
  () => {
    expect(furrow("--check")).not.toMatch(/^profile/m);
    const text = furrow("--check", "--profile");
    expect(text).toMatch(/^profile\n {2}local {2}1 round trip, [\d.]+ kB sent, .* started\n +connect .*, controller/m);
    expect(text).toMatch(/^controller: .* of CPU/m);
    // Another test may hold the lock on this machine right now.
    const events = furrow("--profile", "--json", "--wait-lock", "45")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent);
    const end = events.find((event) => event.type === "runFinished");
    const [host] = end?.recap ?? [];
    expect(host?.profile?.tasks.map(({ title }) => title)).toEqual([`file ${join(folder, "there")}`]);
    expect(host?.profile?.frameMs).toBeGreaterThan(0);
    expect(end?.controller?.cpuMs).toBeGreaterThan(0);
  },
);
