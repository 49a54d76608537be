import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-escapes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const evil = String.raw`\x1b]0;title\x07\x1b[31m\x1b[2J\u202e\u2066\x9b31m`;
const value = "\u001B]0;title\u0007\u001B[31m\u001B[2J\u202E\u2066\u009B31m";
writeFileSync(
  join(folder, "site.ts"),
  `import { playbook, z } from "${root}/src/authoring.ts"; import * as t from "${root}/tasks/index.ts";
export default playbook({ name: "n${evil}", vars: z.object({ v: z.string().default("d${evil}").describe("a${evil}") }),
  plays: [{ name: "p${evil}", hosts: "all", tasks: () => [
    t.command({ command: "true", always: true }, { name: "t${evil}", tags: ["g${evil}"] }),
  ] }] });\n`,
);
writeFileSync(
  join(folder, "inventory.ts"),
  `import { inventory } from "${root}/src/authoring.ts";
export default inventory({ hosts: { here: { transport: "local", vars: { v: "x${evil}" } } } });\n`,
);

function furrow(words: readonly string[], color: string): { stdout: string; all: string } {
  const env = { ...process.env, XDG_STATE_HOME: folder, NO_COLOR: "", FORCE_COLOR: color };
  const argv = [join(root, "bin/furrow.js"), ...words];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env, timeout: 60_000, cwd: folder });
  return { stdout, all: stdout + stderr };
}

const inventory = ["-i", "inventory.ts"];

test.each([
  ["list", "site.ts", ...inventory],
  ["doc", "./site.ts"],
  ["check", "site.ts", ...inventory, "--no-types"],
  ["run", "site.ts", ...inventory, "--no-types"],
  ["validate", "site.ts", ...inventory, "--no-types"],
  ["inventory", ...inventory],
  ["inventory", ...inventory, "--host", "here"],
  ["inventory", ...inventory, "--graph"],
  ["ping", ...inventory],
  ["exec", "all", ...inventory, "--", "printf", String.raw`\033[31m\342\200\256`],
])("furrow %s %s prints no terminal escape of the user's text", (...words) => {
  const plain = furrow(words, "0").all;
  expect(plain).not.toMatch(/[\0-\u0009\u000B-\u001F\u007F-\u009F]|\p{Cf}/u);
  const colored = furrow(words, "1").all;
  expect(colored.replaceAll(/\u001B\[(?:[12]|22|3[1-359])m/g, "")).not.toMatch(
    /[\0-\u0009\u000B-\u001F\u007F-\u009F]|\p{Cf}/u,
  );
  expect(colored).not.toContain("title\\x07\u001B[31m");
});

test.each([
  {
    words: ["list", "site.ts", ...inventory, "--no-types", "--json"],
    pick: (data: unknown) => (data as { playbook: string }).playbook,
  },
  { words: ["doc", "./site.ts", "--json"], pick: (data: unknown) => (data as { name: string }).name },
])("furrow $words escapes them in JSON, and keeps the value", ({ words, pick }) => {
  const printed = furrow(words, "0").stdout;
  expect(printed).not.toMatch(/[\u007F-\u009F]|\p{Cf}/u);
  expect(pick(JSON.parse(printed))).toBe(`n${value}`);
});
