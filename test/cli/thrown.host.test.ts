import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
// Inside the repository, so that a playbook can import furrow by name.
const folder = mkdtempSync(join(root, "node_modules/.thrown-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const local =
  'import { inventory } from "furrow";\nexport default inventory({ hosts: { here: { transport: "local" } } });\n';

test.for([
  ["throw null;", "E_PLAYBOOK  the play all threw null"],
  ["throw undefined;", "E_PLAYBOOK  the play all threw undefined"],
  ["throw 0;", "E_PLAYBOOK  the play all threw 0"],
  ["", "E_PLAYBOOK  a play's `tasks` function did not return a list of tasks"],
  ["return null;", "E_PLAYBOOK  a play's `tasks` function did not return a list of tasks"],
] as const)("a play with `%s` ends with exit code 1 and a message about the playbook", ([body, said]) => {
  writeFileSync(join(folder, "inventory.mjs"), local);
  const playbook = `import { playbook } from "furrow";
    export default playbook({ name: "x", plays: [{ hosts: "all", tasks: () => { ${body} } }] });`;
  writeFileSync(join(folder, "playbook.mjs"), playbook);
  for (const command of ["check", "run", "list"]) {
    const words = [command, join(folder, "playbook.mjs"), "-i", join(folder, "inventory.mjs")];
    const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/furrow.js"), ...words], {
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
    });
    expect({ command, stderr, status }).toEqual({
      command,
      stderr: expect.stringContaining(said) as string,
      status: 1,
    });
  }
});
