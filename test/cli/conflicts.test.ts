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

describe("a tree from the controller", () => {
  test.each<[string, () => Node[], string]>([
    [
      "the mode of a file in the tree",
      () => [t.file({ path: `${path}/conf`, content: "its own\n", mode: "0600" }), tree()],
      "mode",
    ],
    [
      "the mode of a directory in the tree",
      () => [tree({ directoryMode: "0750" }), t.file({ path: `${path}/sub`, state: "directory", mode: "0755" })],
      "mode",
    ],
    ["the mode of the tree's root", () => [tree(), t.file({ path, state: "directory", mode: "0700" })], "mode"],
    [
      "the owner of a file in the tree",
      () => [tree({ owner: "www-data" }), t.file({ path: `${path}/conf`, content: "its own\n", owner: "root" })],
      "owner",
    ],
    [
      "a link in place of a directory in the tree",
      () => [tree(), t.file({ path: `${path}/sub`, state: "link", target: "/srv/other" })],
      "type",
    ],
    [
      "the modes of files in another tree at the same path",
      () => [tree({ fileMode: "0640" }), tree({ fileMode: "0644" })],
      "mode",
    ],
    [
      "the modes of directories in another tree at the same path",
      () => [tree({ directoryMode: "0750" }), tree()],
      "mode",
    ],
    [
      "the modes of files in a nested tree",
      () => [t.directoryTree({ source: join(site, "sub"), path: `${path}/sub`, fileMode: "0600" }), tree()],
      "mode",
    ],
    [
      "the contents of files in another tree at the same path",
      () => [tree(), t.directoryTree({ source: other, path })],
      "text",
    ],
  ])("conflicts with another task over %s", (_, nodes, part) => {
    expect(refusal(...nodes())).toContain(`different values for ${part} of file:${path}`);
  });

  test.each<[string, () => Node[]]>([
    ["identical attributes", () => [tree(), t.file({ path: `${path}/conf`, content: "its own\n", mode: "0644" })]],
    [
      "paths that the tree excludes",
      () => [tree({ exclude: ["conf"] }), t.file({ path: `${path}/conf`, content: "mine", mode: "0600" })],
    ],
    ["a path outside the tree", () => [tree(), t.file({ path: `${path}/more`, content: "x", mode: "0600" })]],
    [
      "a directory in the tree, without a mode",
      () => [tree(), t.file({ path: `${path}/sub/deep`, state: "directory" })],
    ],
    [
      "a second task for the same tree",
      () => [tree({ fileMode: "0640" }), tree({ fileMode: "0640", owner: "www-data" })],
    ],
    [
      "separate trees",
      () => [
        tree({ exclude: ["sub"] }),
        t.directoryTree({ source: join(site, "sub"), path: `${path}/sub`, fileMode: "0600" }),
      ],
    ],
  ])("does not conflict over %s", (_, nodes) => {
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
])("the predicted text of $what in a tree is $text", ({ below, exclude = [], text }) => {
  expect(treeText({ path: site, exclude }, below)).toBe(text);
});
