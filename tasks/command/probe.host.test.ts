import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

const host = taskHost();
let folder = "";
const at = (path: string): string => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-probe-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const touch = (path: string, more: object = {}): Node =>
  t.command({ command: ["touch", at(path)], unless: ["test", "-e", at(path)], readOnly: true, ...more });

const outcomes = async (way: "apply" | "check", nodes: () => readonly Node[]): Promise<string[]> =>
  (await host[way](...nodes())).map(({ outcome }) => outcome);

describe("a command whose `unless` reads what an earlier task changes", () => {
  test("is undecided in check mode, which names the earlier task", async () => {
    writeFileSync(at("flag"), "");
    const nodes = (): Node[] => [t.file({ path: at("flag"), state: "absent" }), touch("flag")];
    const foreseen = await host.check(...nodes());
    expect(foreseen.map(({ outcome, dependsOn }) => [outcome, dependsOn])).toEqual([
      ["changed", undefined],
      ["undecided", `file ${at("flag")}`],
    ]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed"]);
  });

  test("is also undecided in check mode if the earlier task creates what `unless` looks for", async () => {
    const nodes = (): Node[] => [t.file({ path: at("flag"), content: "" }), touch("flag")];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "ok"]);
    expect(await outcomes("check", nodes)).toEqual(["ok", "ok"]);
  });

  test("the result of `unless` before a change is not reused after the change, in check mode or in the run", async () => {
    writeFileSync(at("flag"), "");
    const nodes = (): Node[] => [touch("flag"), t.file({ path: at("flag"), state: "absent" }), touch("flag")];
    expect(await outcomes("check", nodes)).toEqual(["ok", "changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["ok", "changed", "changed"]);
    expect(existsSync(at("flag"))).toBe(true);
  });

  test("a second command with the same `unless` is ok, because the first one satisfies it either way", async () => {
    writeFileSync(at("flag"), "");
    const nodes = (): Node[] => [t.file({ path: at("flag"), state: "absent" }), touch("flag"), touch("flag")];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided", "ok"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed", "ok"]);
  });

  test("the outcomes of two commands with the same `unless` are both known, because the first command satisfies it", async () => {
    const nodes = (): Node[] => [touch("flag"), touch("flag")];
    expect(await outcomes("check", nodes)).toEqual(["changed", "ok"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "ok"]);
  });
});

describe("the outcome of a command that declares what its `unless` reads", () => {
  test("is known after changes to other things", async () => {
    writeFileSync(at("there"), "");
    const nodes = (): Node[] => [
      t.file({ path: at("other"), content: "x\n" }),
      t.file({ path: at("pointer"), state: "link", target: "nowhere" }),
      touch("there", { reads: [`file:${at("there")}`] }),
      touch("new", { reads: [`file:${at("new")}`] }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "changed", "ok", "changed"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed", "ok", "changed"]);
  });

  test.each([
    { what: "the file itself", reads: () => [`file:${at("d/flag")}`] },
    { what: "everything below the file's folder", reads: () => [`file:${at("d/**")}`] },
    { what: "all files in the file's folder", reads: () => [`file:${at("d/*")}`] },
    { what: "everything", reads: () => ["everything"] },
    { what: "other things and the file", reads: () => ["file:/etc/passwd", "unit:*", `file:${at("d/flag")}`] },
  ])("is undecided after a change to a file if the command declares that `unless` reads $what", async ({ reads }) => {
    mkdirSync(at("d"));
    writeFileSync(at("d/flag"), "");
    const nodes = (): Node[] => [t.file({ path: at("d/flag"), state: "absent" }), touch("d/flag", { reads: reads() })];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed"]);
  });

  test.each([
    { what: "the earlier task's path contains the link", changed: "link/flag", read: "real/flag" },
    { what: "the declared path contains the link", changed: "real/flag", read: "link/flag" },
    { what: "the declared folder is the link", changed: "real/flag", read: "link/**" },
    { what: "the declared path is a link to the changed file", changed: "real/flag", read: "pointer" },
  ])("is undecided if a link leads to what an earlier task changes: $what", async ({ changed, read }) => {
    mkdirSync(at("real"));
    symlinkSync("real", at("link"));
    symlinkSync("real/flag", at("pointer"));
    writeFileSync(at("real/flag"), "");
    const nodes = (): Node[] => [
      t.file({ path: at(changed), state: "absent" }),
      touch("real/flag", { reads: [`file:${at(read)}`] }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed"]);
  });

  test("is known if an earlier task creates only the folder of the file that `unless` reads", async () => {
    const nodes = (): Node[] => [
      t.file({ path: at("d"), state: "directory" }),
      touch("d/flag", { reads: [`file:${at("d/flag")}`] }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "changed"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed"]);
  });

  test("is undecided if an earlier task creates a link in place of the folder of the file that `unless` reads", async () => {
    mkdirSync(at("real"));
    writeFileSync(at("real/flag"), "");
    const nodes = (): Node[] => [
      t.file({ path: at("d"), state: "link", target: "real" }),
      touch("d/flag", { reads: [`file:${at("d/flag")}`] }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "ok"]);
  });

  test("is undecided if an earlier task removes the folder of the file that `unless` reads", async () => {
    mkdirSync(at("d"));
    writeFileSync(at("d/flag"), "");
    const nodes = (): Node[] => [
      t.file({ path: at("d"), state: "absent", recursive: true }),
      t.command({
        command: ["mkdir", at("d"), at("d/flag")],
        unless: ["test", "-e", at("d/flag")],
        readOnly: true,
        reads: [`file:${at("d/flag")}`],
      }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed"]);
  });

  test("is known after an undecided change to another file", async () => {
    const print = t.command({ command: ["echo", "x"], always: true, disturbs: [] });
    const nodes = (): Node[] => [
      print,
      t.file({ path: at("other"), content: print.output.map(({ stdout }) => stdout) }),
      touch("new", { reads: [`file:${at("new")}`] }),
    ];
    expect(await outcomes("check", nodes)).toEqual(["changed", "undecided", "changed"]);
    expect(await outcomes("apply", nodes)).toEqual(["changed", "changed", "changed"]);
  });

  test("is undecided after a command that does not declare what it changes, and known if it declares only other changes", async () => {
    const removes = (disturbs?: string[]): Node =>
      t.command({ command: ["rm", "-f", at("flag")], always: true, ...(disturbs && { disturbs }) });
    const probe = (): Node => touch("flag", { reads: [`file:${at("flag")}`] });
    writeFileSync(at("flag"), "");
    expect(await outcomes("check", () => [removes(), probe()])).toEqual(["changed", "undecided"]);
    expect(await outcomes("check", () => [removes([`file:${at("flag")}`]), probe()])).toEqual(["changed", "undecided"]);
    expect(await outcomes("check", () => [removes([`file:${at("other")}`]), probe()])).toEqual(["changed", "ok"]);
    expect(await outcomes("check", () => [removes([]), probe()])).toEqual(["changed", "ok"]);
  });
});

test("the outcome of a command that only reads is known after a change to other things if it declares what it reads", async () => {
  writeFileSync(at("a"), "a\n");
  const nodes = (): Node[] => [
    t.file({ path: at("b"), content: "b\n" }),
    t.command({ command: ["cat", at("a")], readOnly: true, reads: [`file:${at("a")}`] }),
    t.command({ command: ["cat", at("b")], readOnly: true, reads: [`file:${at("b")}`] }),
  ];
  expect(await outcomes("check", nodes)).toEqual(["changed", "ok", "undecided"]);
  expect(await outcomes("apply", nodes)).toEqual(["changed", "ok", "ok"]);
});
