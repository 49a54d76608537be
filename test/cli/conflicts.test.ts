import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFurrowError } from "../../src/core/errors.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { checkConflicts } from "../../src/engine/plan/conflicts/conflicts.ts";
import { planNodes } from "../../src/engine/plan/plan.ts";
import * as t from "../../tasks/index.ts";
import { treeEntry, treeHolds, treeNames, treeText } from "../../src/cli/drivers/tree-text.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-conflicts-"));
const site = join(folder, "site");
const other = join(folder, "other");
beforeAll(() => {
  mkdirSync(join(site, "sub"), { recursive: true });
  writeFileSync(join(site, "conf"), "its own\n");
  writeFileSync(join(site, "sub/large"), "x".repeat(1024 * 1024 + 1));
  symlinkSync("conf", join(site, "link"));
  mkdirSync(other);
  writeFileSync(join(other, "conf"), "another\n");
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

describe("furrow list of a tree from the controller and a line in one of its files", () => {
  test("is refused if the file does not contain the line", () => {
    const { status, output } = list("mine");
    expect(output).toContain("different values for text of file:/srv/site/conf");
    expect(status).not.toBe(0);
  });
  test("is listed if it does", () => {
    expect(list("its own").status).toBe(0);
  });
});

const refusal = (...nodes: Node[]): string | undefined => {
  const plan = planNodes(nodes, { target: "h", path: [], tags: [], when: [], become: undefined }, "");
  try {
    checkConflicts(plan, { treeText, treeHolds, treeEntry, treeNames });
    return undefined;
  } catch (error) {
    if (!isFurrowError(error) || error.code !== "E_CONFLICTING_WANTS") throw error;
    return error.failure.what;
  }
};
const path = "/srv/site";
const tree = (over: object = {}): Node => t.directoryTree({ source: site, path, ...over });

describe("a tree from the controller and another task undid each other's changes in every run", () => {
  test.each<[string, () => Node[], string]>([
    [
      "a file of it has another mode",
      () => [t.file({ path: `${path}/conf`, content: "its own\n", mode: "0600" }), tree()],
      "mode",
    ],
    [
      "a directory of it has another mode",
      () => [tree({ directoryMode: "0750" }), t.file({ path: `${path}/sub`, state: "directory", mode: "0755" })],
      "mode",
    ],
    ["its root has another mode", () => [tree(), t.file({ path, state: "directory", mode: "0700" })], "mode"],
    [
      "a file of it has another owner",
      () => [tree({ owner: "www-data" }), t.file({ path: `${path}/conf`, content: "its own\n", owner: "root" })],
      "owner",
    ],
    [
      "a link stands for a directory of it",
      () => [tree(), t.file({ path: `${path}/sub`, state: "link", target: "/srv/other" })],
      "type",
    ],
    ["modes of files", () => [tree({ fileMode: "0640" }), tree({ fileMode: "0644" })], "mode"],
    ["modes of directories", () => [tree({ directoryMode: "0750" }), tree()], "mode"],
    [
      "a tree in it",
      () => [t.directoryTree({ source: join(site, "sub"), path: `${path}/sub`, fileMode: "0600" }), tree()],
      "mode",
    ],
    ["contents", () => [tree(), t.directoryTree({ source: other, path })], "text"],
  ])("%s", (_, nodes, part) => {
    expect(refusal(...nodes())).toContain(`different values for ${part} of file:${path}`);
  });

  test.each<[string, () => Node[]]>([
    [
      "attributes that are the same",
      () => [tree(), t.file({ path: `${path}/conf`, content: "its own\n", mode: "0644" })],
    ],
    [
      "paths that it ignores",
      () => [tree({ exclude: ["conf"] }), t.file({ path: `${path}/conf`, content: "mine", mode: "0600" })],
    ],
    ["a path outside it", () => [tree(), t.file({ path: `${path}/more`, content: "x", mode: "0600" })]],
    ["a directory of it with no mode", () => [tree(), t.file({ path: `${path}/sub/deep`, state: "directory" })]],
    ["the same tree twice", () => [tree({ fileMode: "0640" }), tree({ fileMode: "0640", owner: "www-data" })]],
    [
      "trees next to each other",
      () => [
        tree({ exclude: ["sub"] }),
        t.directoryTree({ source: join(site, "sub"), path: `${path}/sub`, fileMode: "0600" }),
      ],
    ],
  ])("but not %s", (_, nodes) => {
    expect(refusal(...nodes())).toBeUndefined();
  });
});

test.each([
  { what: "a file", below: "conf", text: "its own\n" },
  { what: "an ignored file", below: "conf", exclude: ["con?"], text: undefined },
  { what: "a file that does not exist", below: "none", text: undefined },
  { what: "a directory", below: "sub", text: undefined },
  { what: "a large file", below: "sub/large", text: undefined },
  { what: "a link", below: "link", text: undefined },
])("what a tree brings as $what", ({ below, exclude = [], text }) => {
  expect(treeText({ path: site, exclude }, below)).toBe(text);
});
