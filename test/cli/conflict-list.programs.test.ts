import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-conflicts-"));
const site = join(folder, "site");
beforeAll(() => {
  mkdirSync(site);
  writeFileSync(join(site, "conf"), "its own\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const list = (line: string): { status: number | null; output: string } => {
  const playbook = join(folder, "one.ts");
  writeFileSync(
    playbook,
    `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { directoryTree, fileLine } from ${JSON.stringify(join(root, "tasks/index.ts"))};
const tasks = () => [
  directoryTree({ path: "/srv/site", source: ${JSON.stringify(site)} }),
  fileLine({ path: "/srv/site/conf", line: ${JSON.stringify(line)} }),
];
export default playbook({ name: "A tree", plays: [{ hosts: "all", tasks }] });
`,
  );
  const words = [join(root, "bin/furrow.js"), "list", playbook, "-i", "local"];
  const env = { ...process.env, XDG_STATE_HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
  return { status, output: stdout + stderr };
};

describe("furrow list, for a tree from the controller and a line in one of the tree's files", () => {
  test("refuses the play if the file does not contain the line", () => {
    const { status, output } = list("mine");
    expect(output).toContain("different values for text of file:/srv/site/conf");
    expect(status).not.toBe(0);
  });
  test("lists the tasks if the file contains the line", () => {
    expect(list("its own").status).toBe(0);
  });
});
