import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

const from = (path: string): string => JSON.stringify(join(root, path));
const inventory = join(folder, "inventory.ts");
// An attempt to connect to this address would take longer than the test may run.
const host = '{ address: "192.0.2.1", user: "root" }';
writeFileSync(
  inventory,
  `import { inventory } from ${from("src/authoring.ts")};\nexport default inventory({ hosts: { web1: ${host} } });\n`,
);

/** A playbook with these tasks. */
function site(tasks: string): string {
  return `import { block, playbook, z } from ${from("src/authoring.ts")};
import * as t from ${from("tasks/index.ts")};
void block;
const any = (value: unknown): never => value as never;
void any;
export default playbook({ name: "Site", vars: z.object({ purge: z.boolean().optional() }), plays: [{ hosts: "all", tasks: ({ vars }) => {
  void vars;
  const conf = t.file({ path: "/tmp/conf", content: "a" });
  const kernel = t.command({ command: ["uname", "-r"], readOnly: true });
  void conf;
  void kernel;
  return [t.file({ path: "/tmp/first", content: "a" }), ${tasks}];
} }] });
`;
}

const mistakes: readonly { readonly name: string; readonly tasks: string; readonly says: readonly RegExp[] }[] = [
  {
    name: "`when: conf.changed` before conf",
    tasks: `t.command({ command: "date", always: true }, { when: conf.changed }), conf`,
    says: [
      /the `when` of command date uses the outcome of file \/tmp\/conf, which is listed later/,
      /at +\S*site\.ts:\d+:\d+/,
      /expected +the task from \S*site\.ts:\d+:\d+, listed before command date/,
      /hint +List file \/tmp\/conf before command date/,
    ],
  },
  {
    name: "`when: conf.changed` without conf",
    tasks: `t.command({ command: "date", always: true }, { when: conf.changed })`,
    says: [/the `when` of command date uses the outcome of file \/tmp\/conf, which no play lists/],
  },
  {
    name: "an output of a task that is listed later",
    tasks: `t.file({ path: "/tmp/kernel", content: kernel.output.map((o) => o.stdout) }), kernel`,
    says: [/file \/tmp\/kernel uses the output of command uname -r, which is listed later/],
  },
  {
    name: "an optional var without a value as `when`",
    tasks: `t.file({ path: "/tmp/purged", content: "" }, { when: any(vars.purge) })`,
    says: [/the option `when` of the task file is undefined/, /hint +Give the value a default, or compare it/],
  },
  {
    name: "a condition of a block in quotes",
    tasks: `block("b", [conf], { when: any("vars.purge") })`,
    says: [/the option `when` of the block "b" cannot be "vars\.purge"/, /hint +Write the condition without quotes/],
  },
  {
    name: "a misspelt name in map()",
    tasks: `kernel, t.file({ path: "/tmp/kernel", content: kernel.output.map((o) => any(o)["stdot"]) })`,
    says: [/the output of command has no "stdot"/, /at +\S*site\.ts:\d+/, /hint +Write "stdout" instead of "stdot"/],
  },
];

describe.each(mistakes)("$name is refused before any connection by", ({ tasks, says }) => {
  test.each([["validate"], ["list"], ["check"], ["run", "--yes"]])("%s", (...words) => {
    const playbook = join(folder, "site.ts");
    writeFileSync(playbook, site(tasks));
    const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
    const argv = [join(root, "bin/furrow.js"), ...words, playbook, "-i", inventory, "--no-types"];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env, timeout: 60_000 });
    const said = `${stdout}${stderr}`;
    expect({ status, said }).toEqual({ status: 1, said: expect.stringContaining("E_PLAYBOOK") as string });
    for (const one of says) expect(said).toMatch(one);
    expect(said).not.toContain("E_UNREACHABLE");
  });
});
