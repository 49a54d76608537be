import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { treeText } from "../../src/cli/drivers/tree-text.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-conflicts-"));
const site = join(folder, "site");
beforeAll(() => {
  mkdirSync(join(site, "sub"), { recursive: true });
  writeFileSync(join(site, "conf"), "its own\n");
  writeFileSync(join(site, "sub/large"), "x".repeat(1024 * 1024 + 1));
  symlinkSync("conf", join(site, "link"));
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

describe("furrow list of a tree of the controller and a line in one of its files", () => {
  test("is refused where the file does not have the line", () => {
    const { status, output } = list("mine");
    expect(output).toContain("different values for text of file:/srv/site/conf");
    expect(status).not.toBe(0);
  });
  test("is listed where it has", () => {
    expect(list("its own").status).toBe(0);
  });
});

test.each([
  { what: "a file", below: "conf", text: "its own\n" },
  { what: "a file that is left out", below: "conf", exclude: ["con?"], text: undefined },
  { what: "a file that is not there", below: "none", text: undefined },
  { what: "a directory", below: "sub", text: undefined },
  { what: "a large file", below: "sub/large", text: undefined },
  { what: "a link", below: "link", text: undefined },
])("what a tree brings as $what", ({ below, exclude = [], text }) => {
  expect(treeText({ path: site, exclude }, below)).toBe(text);
});
