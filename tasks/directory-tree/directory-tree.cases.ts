import { absent, type LocalTree, type Tree, type TreeEntry } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { directoryTree } from "./directory-tree.ts";

const hash = "a".repeat(64);
const other = "b".repeat(64);
const source: LocalTree = {
  path: "/home/me/site",
  entries: {
    bin: { type: "directory" },
    "bin/run": { type: "file", sha256: hash, size: 10, executable: true },
    index: { type: "file", sha256: hash, size: 100_000, executable: false },
    link: { type: "link", target: "index" },
  },
};
const own = { owner: "root", group: "root" };
const directory: TreeEntry = { type: "directory", mode: "0755", ...own };
const right: Record<string, TreeEntry> = {
  ".": directory,
  bin: directory,
  "bin/run": { type: "file", mode: "0755", sha256: hash, ...own },
  index: { type: "file", mode: "0644", sha256: hash, ...own },
  link: { type: "link", mode: "0777", target: "index", ...own },
};
const treeOf = (entries: Record<string, TreeEntry>): Tree => ({ entries, names: Object.keys(entries).toSorted() });
const changed = (name: string, entry: Partial<TreeEntry>): Tree =>
  treeOf({ ...right, [name]: { ...(right[name] ?? directory), ...entry } });
const call = directoryTree({ source: "site", path: "/srv/site" });
const seen = { source, large: [], going: [], texts: {} };
const purging = directoryTree({ source: "site", path: "/srv/site", purge: true });
const extra = {
  type: "directory",
  real: "/srv/site/extra",
  uses: [],
  empty: false,
  files: 2,
  directories: 0,
  bytes: 9,
};
const iso: LocalTree = {
  path: "/home/me/site",
  entries: { iso: { type: "file", sha256: hash, size: 2 ** 33, executable: false } },
};
const image = { type: "file", mode: "0644", ...own } as const;

/** Test cases for `directoryTree`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "nothing there",
    call,
    now: { ...seen, tree: absent, texts: { "bin/run": "#!/bin/sh\n" }, above: [directory] },
    steps: [
      "make directory /srv/site",
      "make directory /srv/site/bin",
      "link /srv/site/link to index",
      "write /srv/site/bin/run",
      "upload /home/me/site/index to /srv/site/index",
    ],
  },
  {
    title: "a dangling link above the tree's path",
    call,
    now: { ...seen, tree: absent, above: [{ ...directory, type: "link", target: "data" }], behind: [absent] },
    steps: [],
    refusal: "no-parent",
  },
  { title: "already up to date", call, now: { ...seen, tree: treeOf(right) }, steps: [] },
  {
    title: "a file with different content",
    call,
    now: { ...seen, tree: changed("index", { sha256: other }) },
    steps: ["upload /home/me/site/index to /srv/site/index"],
  },
  {
    title: "a file with a different mode",
    call,
    now: { ...seen, tree: changed("index", { mode: "0600" }) },
    steps: ["set 0644 on /srv/site/index"],
  },
  {
    title: "a link with a different target",
    call,
    now: { ...seen, tree: changed("link", { target: "other" }) },
    steps: ["link /srv/site/link to index"],
  },
  {
    title: "a regular file where the source has a link",
    call,
    now: { ...seen, tree: treeOf({ ...right, link: right["index"] ?? directory }) },
    steps: [],
    refusal: "would-replace",
  },
  {
    title: "a regular file that may be replaced with a link",
    call: directoryTree({ source: "site", path: "/srv/site", replace: "file" }),
    now: { ...seen, tree: treeOf({ ...right, link: right["index"] ?? directory }) },
    steps: ["link /srv/site/link to index"],
  },
  {
    title: "an extra entry",
    call: purging,
    now: { ...seen, tree: treeOf({ ...right, extra: directory }), going: [{ ...extra, devices: 0 }] },
    steps: ["remove /srv/site/extra and its contents"],
  },
  {
    title: "an extra entry that disappears while the tree is being read",
    call: purging,
    now: { ...seen, tree: treeOf({ ...right, extra: directory }), going: [absent] },
    steps: ["remove /srv/site/extra and its contents"],
  },
  ...[
    { title: "a mounted disk among the extra entries", goes: { uses: ["mount:/srv/site/extra"] }, refusal: "in-use" },
    { title: "an extra directory with device nodes", goes: { devices: 3 }, refusal: "device-node" },
    {
      title: "a path that leads to /etc through a link",
      goes: { real: "/etc/extra", devices: 0 },
      refusal: "protected",
    },
  ].map(({ title, goes, refusal }) => ({
    title,
    call: purging,
    now: { ...seen, tree: treeOf({ ...right, extra: directory }), going: [{ ...extra, ...goes }] },
    steps: [],
    refusal,
  })),
  {
    title: "a FIFO in place of a file",
    call,
    now: { ...seen, tree: treeOf({ ...right, index: { ...own, type: "other", mode: "0644" } }) },
    steps: [],
    refusal: "in-the-way",
  },
  {
    title: "a large file with different content",
    call,
    now: {
      source: iso,
      tree: treeOf({ ".": directory, iso: image }),
      large: [{ ...image, sha256: other }],
      going: [],
      texts: {},
    },
    steps: ["upload /home/me/site/iso to /srv/site/iso"],
  },
  {
    title: "a large file that was removed after the tree was listed",
    call,
    now: { source: iso, tree: treeOf({ ".": directory, iso: image }), large: [absent], going: [], texts: {} },
    steps: ["upload /home/me/site/iso to /srv/site/iso"],
  },
  {
    title: "a directory in place of a file",
    call,
    now: { ...seen, tree: treeOf({ ...right, index: directory }) },
    steps: [],
    refusal: "in-the-way",
  },
  {
    title: "a mounted disk where the source has a directory",
    call,
    now: { ...seen, tree: changed("bin", { mounted: true }) },
    steps: [],
    refusal: "in-use",
  },
  {
    title: "no such directory on the controller",
    call,
    now: { source: absent, tree: absent, large: [], going: [], texts: {} },
    steps: [],
    refusal: "no-source",
  },
];
