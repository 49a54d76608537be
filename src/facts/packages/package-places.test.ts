import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { fileKind } from "../files/file.ts";
import type { AnyFile } from "../files/file-state.ts";
import { outdatedIndex, packageFactsNear, packageFactsOf } from "./package-places.ts";
import { type Tree, treeKind } from "../files/tree.ts";
import { unpackedKind } from "../files/unpacked.ts";

const index = "packageIndex:**";
const offers = ["packageOffer:**", "packagePlan:**"];

test.each([
  { path: "/etc/apt/sources.list.d/a.list", gone: false, facts: offers },
  { path: "/etc/apt/sources.list.d/a.list", gone: true, facts: offers },
  { path: "/etc/apt/sources.list", gone: true, facts: [index, ...offers] },
  { path: "/etc/apt", gone: true, facts: [index, ...offers] },
  { path: "/etc/apt", gone: false, facts: [] },
  { path: "/etc/apt/apt.conf.d/a", gone: false, facts: [] },
  { path: "/etc/apt/preferences.d", gone: true, facts: offers },
  { path: "/var/lib/apt/lists/a_Packages", gone: false, facts: [index, ...offers] },
  { path: "/var/lib/apt", gone: true, facts: [index, ...offers] },
  { path: "/etc/aptitude", gone: true, facts: [] },
])("a change to $path (gone: $gone) makes these facts unpredictable: $facts", ({ path, gone, facts }) => {
  expect(packageFactsOf(path, gone)).toEqual(facts);
});

test.each([
  { path: "/etc/apt/sources.list.d/a.list", facts: [index, ...offers] },
  { path: "/etc/**", facts: [index, ...offers, "package:**"] },
  { path: "/etc/apt/*", facts: [index, ...offers] },
  { path: "/etc/apt/apt.conf.d/a", facts: offers },
  { path: "/etc/ap*/apt.conf.d/a", facts: offers },
  { path: "/etc/zypp/locks", facts: [...offers, "package:**"] },
  { path: "/var/**", facts: [index, ...offers] },
  { path: "/etc/b*", facts: [] },
  { path: "/srv/**", facts: [] },
  { path: "/etc/aptitude/**", facts: [] },
])("a task that names $path may change these facts: $facts", ({ path, facts }) => {
  expect(packageFactsNear(path)).toEqual(facts);
});

describe("a change to a source list", () => {
  const outdated = [outdatedIndex("apt")];
  const list = "/etc/apt/sources.list.d/a.list";
  const is = { type: "file", mode: "0644", owner: "root", group: "root", sha256: "a" } as const;
  const to = { ...is, text: "", seal: "s", size: 0 };

  test.each<{ title: string; from: AnyFile | typeof absent; to: AnyFile | typeof absent; implies: unknown }>([
    { title: "is created", from: absent, to, implies: outdated },
    { title: "is removed", from: is, to: absent, implies: outdated },
    { title: "gets other content", from: is, to: { ...to, sha256: "b" }, implies: outdated },
    { title: "gets another mode", from: is, to: { ...to, mode: "0600" }, implies: [] },
  ])("has the right effect on the index if the file $title", ({ from, to: after, implies }) => {
    expect(fileKind.implies?.(list, from, after)).toEqual(implies);
  });

  test("has the right effect on the index if the content of the file is unknown", () => {
    const { sha256: _, ...unread } = is;
    expect(fileKind.implies?.(list, unread, to)).toEqual([]);
    expect(fileKind.touches?.(list, unread, to)).toContain(index);
  });

  test("has the right effect on the index if the file is part of a tree", () => {
    const tree = (entries: object): Tree => ({ entries: entries as Tree["entries"], names: [] });
    const [one, other] = [{ a: is }, { a: { ...is, sha256: "b" } }];
    const implied = (root: string, from: object, after: object): unknown =>
      treeKind.implies?.(root, tree(from), tree(after));
    expect(implied("/etc/apt/sources.list.d", one, other)).toEqual(outdated);
    expect(implied("/etc/apt/sources.list.d", one, {})).toEqual(outdated);
    expect(implied("/etc/apt", { "sources.list.d/a": is }, {})).toEqual(outdated);
    expect(implied("/etc/apt/sources.list.d", one, { a: { ...is, mode: "0600" } })).toEqual([]);
    expect(implied("/srv/apt", one, other)).toEqual([]);
  });

  test("has the right effect on the index if the file is part of an archive with unknown content", () => {
    const key = JSON.stringify(["/etc/apt/sources.list.d", "lists.tar"]);
    expect(unpackedKind.touches?.(key, absent, { archive: "a" })).toContain(index);
  });
});
