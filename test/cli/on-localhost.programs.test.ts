import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-localhost-"));
afterAll(() => rmSync(folder, { recursive: true }));

const inventory = join(folder, "inventory.ts");
// The settings that the inventory gives its hosts must not affect the controller.
writeFileSync(
  inventory,
  `import { inventory } from ${JSON.stringify(join(root, "src/authoring.ts"))};
export default inventory({ hosts: { web1: { transport: "local" } }, user: "nobody-here", port: 1 });
`,
);

function playbook(name: string, list: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import { on, playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import * as t from ${JSON.stringify(join(root, "tasks/index.ts"))};
export default playbook({ name: "On", plays: [{ hosts: "all", tasks: () => [${list}] }] });
`,
  );
  return path;
}

function furrow(...words: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const argv = [join(root, "bin/furrow.js"), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

test('on("localhost") acts on the controller, which hosts: "all" does not name', () => {
  const path = join(folder, "made");
  const site = playbook("site.ts", `on("localhost", [t.file({ path: "${path}", content: "here\\n" })])`);
  expect(furrow("validate", site, "-i", inventory)).toMatchObject({ code: 0 });
  const check = furrow("check", site, "-i", inventory, "--user", "someone-else");
  expect(check, check.err).toMatchObject({ code: 0 });
  expect(check.out).toMatch(/web1 +would change +file .*made on localhost/);
  expect(existsSync(path)).toBe(false);
  const run = furrow("run", site, "-i", inventory, "--user", "someone-else");
  expect(run, run.err).toMatchObject({ code: 0 });
  expect(readFileSync(path, "utf8")).toBe("here\n");
  expect(furrow("list", site, "-i", inventory, "--json").out).toContain('"hosts":["web1"]');
});

test("on(…) with a host that is not in the inventory is refused before anything is done, and the error names its line", () => {
  const path = join(folder, "never");
  const site = playbook(
    "wrong.ts",
    `t.file({ path: "${path}", content: "" }), on("wbe1", [t.file({ path: "/tmp/x", content: "" })])`,
  );
  for (const words of [["validate"], ["list"], ["check"], ["run"]]) {
    const { code, err } = furrow(...words, site, "-i", inventory);
    expect(code, words[0]).toBe(1);
    expect(err).toMatch(/E_PATTERN +the inventory has no host "wbe1"[^]*at +\S*wrong\.ts:3:\d+[^]*hint +Write "web1"/);
  }
  expect(existsSync(path)).toBe(false);
});
