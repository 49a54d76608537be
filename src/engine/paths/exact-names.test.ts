import { expect, test } from "vitest";
import { exactly, factId, namesFact } from "../../core/facts/fact.ts";
import { type Kind, kindOf } from "../../core/facts/kind.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { digest, file, mountAt, tree } from "../../facts/catalogue.ts";

const odd = ["*", "**", "!x", "[a]", "?", "{a,b}", "[*]"];
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const mounted = { mounted: true, source: "/dev/sdb1", fileSystem: "ext4", flags: {}, entries: "some" };

test.each(odd.flatMap((name) => ["file", "tree", "mount", "digest"].map((kind) => ({ name, kind }))))(
  "a change to the $kind at /d/$name touches no other name in /d",
  ({ name, kind }) => {
    const { touches, mayTouch, renews, shownIn }: Kind = kindOf(kind);
    const [from, to]: [unknown, unknown] =
      kind === "mount" ? [mounted, { ...mounted, mounted: false, source: "" }] : [absent, absent];
    const key = `/d/${name}`;
    const patterns = [
      ...(touches?.(key, from, to) ?? []),
      ...(kind === "file" ? (touches?.(key, directory, absent) ?? []) : []),
      ...(mayTouch?.(key, absent) ?? []),
      ...(mayTouch?.(key, knownAfterApply) ?? []),
      ...(renews?.(key, from, to) ?? []),
      ...(shownIn?.(exactly(key)) ?? []),
    ];
    const beside = ["a", "x", "b", "b/c", "www"].map((other) => `/d/${other}`);
    const facts = beside.flatMap((path) => [file(path), tree(path), mountAt(path), digest(path, "sha256")]);
    expect(facts.map(factId).filter((id) => namesFact(patterns, id))).toEqual([]);
    expect(namesFact(patterns, factId(tree("/d")))).toBe(true);
  },
);
