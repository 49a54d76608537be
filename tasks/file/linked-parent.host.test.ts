import { execFileSync } from "node:child_process";
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
  folder = mkdtempSync(join(tmpdir(), "furrow-linked-"));
  writeFileSync(at("file"), "");
  mkdirSync(at("real"));
  symlinkSync(at("releases/7"), at("dangling"));
  symlinkSync("releases/8", at("relative"));
  symlinkSync("file", at("to-file"));
  symlinkSync("loop-b", at("loop"));
  symlinkSync("loop", at("loop-b"));
  symlinkSync("dangling", at("chain"));
  symlinkSync("real", at("good"));
  symlinkSync("good", at("good-chain"));
  execFileSync("tar", ["-C", at("real"), "-cf", at("empty.tar"), "."]);
});
afterEach(() => rmSync(folder, { recursive: true }));

const ends = async (way: "apply" | "check", nodes: readonly Node[]): Promise<string[]> =>
  (await host[way](...nodes)).map(({ outcome, error, dependsOn }) =>
    [outcome, error?.failure.details?.[0], error && (error.code === "E_REFUSED" ? undefined : error.message), dependsOn]
      .filter(Boolean)
      .join(": "),
  );
const both = async (...nodes: readonly Node[]): Promise<string[][]> => [
  await ends("check", nodes),
  await ends("apply", nodes),
];

const noParent = "failed: refused: no-parent";
const notDirectory = "failed: refused: parent-not-directory";

describe("a directory that is an unusable link", () => {
  test.each([
    ["dangling", noParent],
    ["relative", noParent],
    ["chain", noParent],
    ["to-file", notDirectory],
    // Like a dangling link, a loop of links has no target.
    ["loop", noParent],
  ])("%s: every task that would write into it is refused, in check mode and in the run", async (link, refusal) => {
    const path = at(`${link}/app.conf`);
    for (const call of [
      t.file({ path, content: "x\n" }),
      t.file({ path, state: "link", target: "/" }),
      t.file({ path, state: "directory" }),
      t.file({ path: `${path}/y/z`, state: "directory" }),
      t.fileLine({ path, line: "x", create: true }),
      t.fileBlock({ path, block: "x", create: true }),
      t.download({ path, url: "http://127.0.0.1:9/x", checksum: `sha256:${"0".repeat(64)}` }),
      t.user({ name: "furrow-linked", home: path }),
      t.directoryTree({ path, source: at("real") }),
      t.directoryTree({ path: `${path}/y/z`, source: at("real") }),
      t.unarchive({ source: at("empty.tar"), path }),
      t.unarchive({ source: at("empty.tar"), path: `${path}/y/z`, creates: `${path}/done` }),
    ])
      expect(await both(call)).toEqual([[refusal], [refusal]]);
    const cwd = "failed: refused: no-cwd";
    const run = t.command({ command: ["true"], always: true, cwd: at(link) });
    const unless = t.command({ command: ["true"], unless: ["true"], readOnly: true, cwd: at(link) });
    expect(await both(run)).toEqual([[cwd], [cwd]]);
    const guard = [expect.stringMatching(/^failed: the guard/)];
    expect(await both(unless)).toEqual([guard, guard]);
    expect(existsSync(at("releases"))).toBe(false);
  });

  test("is named with its target, and with the task that would create the target", async () => {
    const [end] = await host.check(t.file({ path: at("dangling/app.conf"), content: "x\n" }));
    expect(end?.error?.failure).toMatchObject({
      what: `${at("dangling/app.conf")} cannot be created, because ${at("dangling")} is a link to ${at("releases/7")}, which does not exist`,
      hint: `Put file({ path: "${at("releases/7")}", state: "directory" }) before this task`,
    });
  });

  test("is refused if an earlier task creates the link", async () => {
    const link = t.file({ path: at("current"), state: "link", target: "releases/9" });
    const app = t.file({ path: at("current/app.conf"), content: "x\n" });
    const refused = ["changed", noParent];
    expect(await both(link, app)).toEqual([refused, refused]);
  });

  test("is accepted if an earlier task creates its target", async () => {
    const nodes = [
      t.file({ path: at("releases/7"), state: "directory" }),
      t.file({ path: at("dangling/app.conf"), content: "x\n" }),
      t.file({ path: at("chain/sub/dir"), state: "directory" }),
      t.fileLine({ path: at("chain/lines"), line: "x", create: true }),
      t.directoryTree({ path: at("chain/tree"), source: at("real") }),
      t.unarchive({ source: at("empty.tar"), path: at("chain/deep/unpacked") }),
      t.file({ path: at("current"), state: "link", target: "releases/7" }),
      t.file({ path: at("current/more"), content: "x\n" }),
      t.command({ command: ["sh", "-c", "echo > made"], creates: at("releases/7/made"), cwd: at("current") }),
    ];
    const all = nodes.map(() => "changed");
    expect(await both(...nodes)).toEqual([all, all]);
    expect(await ends("apply", nodes)).toEqual(nodes.map(() => "ok"));
  });

  test("is accepted if an earlier task creates the link, even if a command in between may change anything", async () => {
    const nodes = [
      t.file({ path: at("elsewhere"), state: "directory" }),
      t.file({ path: at("turned"), state: "link", target: "elsewhere" }),
      t.command({ command: ["true"], always: true }),
      t.file({ path: at("turned/made"), state: "directory" }),
    ];
    expect(await ends("apply", nodes)).toEqual(["changed", "changed", "changed", "changed"]);
  });

  test("is undecided if an earlier task may create its target", async () => {
    const provide = t.command({
      command: ["mkdir", "-p", at("releases/7")],
      always: true,
      disturbs: [`file:${at("releases")}/**`],
    });
    const app = t.file({ path: at("dangling/app.conf"), content: "x\n" });
    const [check, apply] = await both(provide, app);
    expect(check?.[1]).toMatch(/^undecided: command/);
    expect(apply).toEqual(["changed", "changed"]);
  });
});

test("a link to a directory is used like the directory", async () => {
  mkdirSync(at("releases"));
  const nodes = [
    t.file({ path: at("good/a"), content: "x\n" }),
    t.fileLine({ path: at("good-chain/b"), line: "x", create: true }),
    t.file({ path: at("good-chain/c/d"), state: "directory" }),
    t.directoryTree({ path: at("good-chain/tree/sub"), source: at("releases") }),
    t.unarchive({ source: at("empty.tar"), path: at("good-chain/e/unpacked") }),
    t.command({ command: ["true"], always: true, cwd: at("good-chain") }),
  ];
  const all = nodes.map(() => "changed");
  expect(await both(...nodes)).toEqual([all, all]);
});

test("a command is refused if its working directory is missing or is a file, in check mode and in the run", async () => {
  for (const cwd of [at("missing"), at("file")]) {
    const refused = ["failed: refused: no-cwd"];
    expect(await both(t.command({ command: ["true"], always: true, cwd }))).toEqual([refused, refused]);
  }
  const nodes = [
    t.file({ path: at("missing"), state: "directory" }),
    t.command({ command: ["true"], always: true, cwd: at("missing") }),
  ];
  expect(await both(...nodes)).toEqual([
    ["changed", "changed"],
    ["changed", "changed"],
  ]);
});

test("a new user whose home would be below a regular file is refused, in check mode and in the run", async () => {
  const call = t.user({ name: "furrow-linked", home: at("file/home") });
  try {
    expect(await both(call)).toEqual([[notDirectory], [notDirectory]]);
  } finally {
    execFileSync("sh", ["-c", "userdel furrow-linked 2>/dev/null || true"]);
  }
});
