import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-own-link-"));
afterAll(() => rmSync(folder, { recursive: true }));

const host = taskHost();
const at = (path: string): string => join(folder, path);
const told = ({ outcome, error }: Awaited<ReturnType<typeof host.check>>[number]): unknown[] => [
  outcome,
  ...(error ? [error.code, error.failure.details?.[0]] : []),
];

describe("a link that is part of its own path", () => {
  const refused = ["failed", "E_REFUSED", "refused: own-link"];

  test.each<{ what: string; node: (path: string) => Node }>([
    { what: "a file", node: (path) => t.file({ path, content: "x\n" }) },
    { what: "another link", node: (path) => t.file({ path, state: "link", target: "/srv" }) },
  ])("is not replaced by $what, and check mode says so", async ({ node }) => {
    symlinkSync(".", at("a"));
    symlinkSync("a", at("b"));
    try {
      for (const path of [at("a/a"), at("b/a/a")]) {
        expect((await host.check(node(path))).map(told)).toEqual([refused]);
        expect((await host.apply(node(path))).map(told)).toEqual([refused]);
        const sent = await host.apply(t.file({ path: at("first"), content: "x\n" }), node(path));
        expect(sent.map(told)).toEqual([["changed"], refused]);
        rmSync(at("first"));
        expect(readlinkSync(at("a"))).toBe(".");
      }
    } finally {
      for (const link of ["a", "b"]) rmSync(at(link));
    }
  });

  test("is replaced if the path does not lead through the link", async () => {
    symlinkSync(".", at("c"));
    expect((await host.apply(t.file({ path: at("c"), content: "x\n" }))).map(told)).toEqual([["changed"]]);
    expect(lstatSync(at("c")).isFile()).toBe(true);
  });

  test("is removed, whichever of its paths the task names", async () => {
    symlinkSync(".", at("d"));
    const gone = t.file({ path: at("d/d"), state: "absent" });
    expect((await host.check(gone)).map(told)).toEqual([["changed"]]);
    expect((await host.apply(gone)).map(told)).toEqual([["changed"]]);
  });
});

test("the removal of a directory that an earlier task fills is undecided in check mode", async () => {
  mkdirSync(at("source"));
  mkdirSync(at("source/sub"));
  const nodes = (): Node[] => [
    t.directoryTree({ source: at("source"), path: at("full/deep/tree") }, { temporary: true }),
    t.file({ path: at("full"), state: "absent" }, { temporary: true }),
  ];
  expect((await host.check(...nodes())).map(told)).toEqual([["changed"], ["undecided"]]);
  expect((await host.apply(...nodes())).map(told)).toEqual([
    ["changed"],
    ["failed", "E_REFUSED", "refused: not-empty"],
  ]);
});
