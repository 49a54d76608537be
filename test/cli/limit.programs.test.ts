import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-limit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const inventory = join(folder, "inventory.ts");
writeFileSync(
  inventory,
  `import { inventory } from ${JSON.stringify(join(root, "src/authoring.ts"))};
export default inventory({ hosts: { web1: { transport: "local" }, web2: { transport: "local" } } });
`,
);

function furrow(...words: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const argv = [join(root, "bin/furrow.js"), ...words];
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

test.each([
  { named: "exec", rest: ["--", "true"] },
  { named: "ping", rest: [] },
  { named: "facts", rest: [] },
])("$named connects only to the hosts that --limit names, and refuses a limit that excludes all", ({ named, rest }) => {
  const some = furrow(named, "all", "-i", inventory, "-l", "web2", ...rest);
  expect(some).toMatchObject({ code: 0, err: "" });
  expect(some.out).toContain("web2");
  expect(some.out).not.toContain("web1");
  for (const [pattern, limit] of [
    ["all", "web3"],
    ["web1", "web2"],
  ] as const) {
    const wrong = furrow(named, pattern, "-i", inventory, "-l", limit, ...rest);
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toMatch(new RegExp(`^E_PATTERN .*${limit}`));
  }
});
