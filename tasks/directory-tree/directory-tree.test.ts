import { describe, expect, test } from "vitest";
import { absent, type LocalTree, type Tree, type TreeEntry } from "../../src/authoring.ts";
import { matchesPattern } from "../../src/facts/catalogue.ts";
import { treeKind } from "../../src/facts/files/tree.ts";
import { explain } from "../../src/testing/explain.ts";
import { directoryTree } from "./directory-tree.ts";

const a = "a".repeat(64);
const source: LocalTree = {
  path: "/home/me/site",
  entries: {
    bin: { type: "directory" },
    "bin/run": { type: "file", sha256: a, size: 10, executable: true },
    index: { type: "file", sha256: a, size: 100_000, executable: false },
    link: { type: "link", target: "index" },
  },
};
const place = { owner: "root", group: "root" };
const directory: TreeEntry = { type: "directory", mode: "0755", ...place };
const right: Record<string, TreeEntry> = {
  ".": directory,
  bin: directory,
  "bin/run": { type: "file", mode: "0755", sha256: a, ...place },
  index: { type: "file", mode: "0644", sha256: a, ...place },
  link: { type: "link", mode: "0777", target: "index", ...place },
};
const treeOf = (entries: Record<string, TreeEntry>): Tree => ({ entries, names: Object.keys(entries).toSorted() });
const call = directoryTree({ source: "site", path: "/srv/site" });
const see = (tree: unknown, over = {}, texts = {}) =>
  explain(Object.keys(over).length > 0 ? directoryTree({ source: "site", path: "/srv/site", ...over }) : call, {
    source,
    tree,
    large: [],
    going: [absent, absent],
    ownerIs: {},
    above: [directory],
    texts,
  });

describe("directoryTree", () => {
  test("creates directories before their content, sends small files in the frame, and uploads large files", () => {
    const { described, change } = see(absent, {}, { "bin/run": "#!/bin/sh\n" });
    expect(change).toEqual({ "tree:/srv/site": [""] });
    expect(described).toEqual([
      "make directory /srv/site",
      "make directory /srv/site/bin",
      "link /srv/site/link to index",
      "write /srv/site/bin/run",
      "upload /home/me/site/index to /srv/site/index",
    ]);
  });

  test("refuses a path below a dangling link", () => {
    const dangling = { ...directory, type: "link", target: "/data/srv" };
    const now = { source, tree: absent, large: [], going: [], texts: {}, above: [dangling], behind: [absent] };
    expect(explain(call, now).refusal).toMatchObject({
      code: "no-parent",
      message: "/srv/site cannot be created, because /srv is a link to /data/srv, which does not exist",
    });
  });

  test("leaves a correct tree and extra entries alone", () => {
    expect(see(treeOf(right)).steps).toEqual([]);
    expect(see(treeOf({ ...right, extra: directory })).steps).toEqual([]);
  });

  test.each([
    {
      name: "index",
      entry: { sha256: "b".repeat(64) },
      change: "entries.index.sha256",
      step: "upload /home/me/site/index to /srv/site/index",
    },
    { name: "index", entry: { mode: "0600" }, change: "entries.index.mode", step: "set 0644 on /srv/site/index" },
    { name: "bin", entry: { mode: "0700" }, change: "entries.bin.mode", step: "set 0755 on /srv/site/bin" },
    { name: "link", entry: { target: "other" }, change: "entries.link.target", step: "link /srv/site/link to index" },
  ])("fixes $change and nothing else", ({ name, entry, change, step }) => {
    const explained = see(treeOf({ ...right, [name]: { ...right[name]!, ...entry } }));
    expect(explained.change).toEqual({ "tree:/srv/site": [change] });
    expect(explained.described).toEqual([step]);
  });

  test("sets owner, group and modes if they are given", () => {
    const { described } = see(treeOf(right), { owner: "www", fileMode: "0640" });
    expect(described).toEqual([
      "set 0755 www on /srv/site",
      "set 0755 www on /srv/site/bin",
      "set 0640 www on /srv/site/index",
      "set 0640 www on /srv/site/bin/run",
    ]);
  });

  test("purges the topmost extra entries, and keeps excluded entries and the directories above them", () => {
    const more = {
      ...right,
      old: directory,
      "old/x": right["index"]!,
      kept: directory,
      "kept/a.log": right["index"]!,
      "kept/b": right["index"]!,
    };
    const { described, change } = see(treeOf(more), { purge: true, exclude: ["*.log"] });
    expect(described.toSorted()).toEqual([
      "remove /srv/site/kept/b and its contents",
      "remove /srv/site/old and its contents",
    ]);
    expect(change).toEqual({ "tree:/srv/site": ["names"] });
  });

  test.each([
    { what: "a directory in place of a file", entries: { ...right, index: directory } },
    { what: "a file instead of the directory", entries: { ".": right["index"]! } },
  ])("refuses $what", ({ entries }) => {
    const { refusal } = see(treeOf(entries));
    expect(refusal?.code).toBe("in-the-way");
    expect(refusal?.hint).toMatch(/^Check what it contains.*in another playbook$/);
  });

  test("refuses a mount point only if the source has an entry at or below it", () => {
    const mounted: TreeEntry = { ...directory, mode: "1777", mounted: true };
    const { refusal } = see(treeOf({ ...right, bin: mounted }));
    expect(refusal).toMatchObject({ code: "in-use", current: "mount:/srv/site/bin" });
    expect(see(treeOf({ ...right, bi: mounted, "bin/other": mounted })).steps).toEqual([]);
    const shown = treeOf({ ".": directory, bin: mounted });
    const lines = treeKind.print?.(shown, {} as never) ?? {};
    expect(treeKind.parse(lines as Record<string, string>, {} as never)).toEqual(shown);
  });

  test("refuses a missing source", () => {
    expect(explain(call, { source: absent, tree: absent, large: [], going: [], texts: {} }).refusal?.code).toBe(
      "no-source",
    );
  });

  test("reads the hash of a large file only if the file exists on the host", () => {
    const large: LocalTree = {
      path: "/s",
      entries: { iso: { type: "file", sha256: a, size: 2 ** 33, executable: false } },
    };
    const there = treeOf({ ".": directory, iso: { type: "file", mode: "0644", ...place } });
    const now = {
      source: large,
      tree: there,
      texts: {},
      going: [],
      large: [{ type: "file", mode: "0644", ...place, sha256: a }],
    };
    const explained = explain(call, now);
    expect(explained.facts).toContain("file:/srv/site/iso");
    expect(explained.steps).toEqual([]);
    const other = explain(call, { ...now, large: [{ ...now.large[0], sha256: "b".repeat(64) }] });
    expect(other.described).toEqual(["upload /s/iso to /srv/site/iso"]);
  });

  test.each([
    { path: "srv", source: "x" },
    { path: "/", source: "x" },
    { path: "/etc", source: "x", purge: true },
    { path: "/srv", source: "" },
    { path: "/srv", source: "x", exclude: ["/abs"] },
    { path: "/srv", source: "x", fileMode: "644" },
  ])("refuses %j", (params) => {
    expect(() => explain(directoryTree(params), { source, tree: absent, large: [], going: [], texts: {} })).toThrow(
      /path|source|exclude|fileMode|purge/,
    );
  });

  test("excludes a name at any depth, or a path from the top, with everything below it", () => {
    expect(
      ["a.bak", "x/a.bak", "a.bak/y", ".git/config", "cache/x/y"].map((path) =>
        matchesPattern(path, ["*.bak", ".git", "cache/*"]),
      ),
    ).toEqual([true, true, true, true, true]);
    expect(
      ["a.baker", "git", "x/cache/y", "cache"].map((path) => matchesPattern(path, ["*.bak", ".git", "cache/*"])),
    ).toEqual([false, false, false, false]);
  });

  test("predicts a tree with the new entries, and with the old entries unless they are purged", () => {
    const wanted = { entries: { new: { type: "file", mode: "0644", sha256: a } }, names: [".", "new"] };
    const before = treeOf({ ".": directory, old: directory });
    expect(treeKind.predict?.(before, { entries: wanted.entries }, { user: "root" })).toMatchObject({
      names: [".", "new", "old"],
    });
    expect(treeKind.predict?.(before, wanted, { user: "root" })).toMatchObject({ names: [".", "new"] });
  });
});
