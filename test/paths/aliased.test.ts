import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "furrow-aliased-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (name: string): string => join(root, name);
const read = (name: string): string => readFileSync(at(name), "utf8");
const host = taskHost();

async function apply(...nodes: readonly Node[]): Promise<string[]> {
  return (await host.apply(...nodes)).map(({ outcome, error }) => (error ? `${outcome} ${error.code}` : outcome));
}

async function check(...nodes: readonly Node[]): Promise<string[]> {
  return (await host.check(...nodes)).map(({ outcome, error }) => (error ? `${outcome} ${error.code}` : outcome));
}

function releases(): void {
  for (const name of ["1", "2"]) {
    mkdirSync(at(`releases/${name}`), { recursive: true });
    writeFileSync(at(`releases/${name}/conf`), `release=${name}\nk=${name}x\n`);
  }
  symlinkSync("releases/1", at("current"));
  writeFileSync(at("releases/1/flag"), "up\n");
}

const switched = (): Node => t.file({ path: at("current"), state: "link", target: "releases/2" });

describe("a link that an earlier task points elsewhere", () => {
  test("a line goes into the new target's file; the old target's text is not written over it", async () => {
    releases();
    const tasks = (): Node[] => [
      switched(),
      t.fileLine({ path: at("current/conf"), line: "k=2", match: "^k=" }),
      t.file({ path: at("current/flag"), content: "up\n" }),
    ];
    expect(await check(...tasks())).toEqual(["changed", "changed", "changed"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed", "changed"]);
    expect(read("releases/2/conf")).toBe("release=2\nk=2\n");
    expect(read("releases/1/conf")).toBe("release=1\nk=1x\n");
    expect(read("releases/2/flag")).toBe("up\n");
    expect(await apply(...tasks())).toEqual(["ok", "ok", "ok"]);
  });

  test("check reports ok only for what is right behind the new target", async () => {
    releases();
    writeFileSync(at("releases/2/flag"), "down\n");
    const tasks = (): Node[] => [switched(), t.file({ path: at("current/flag"), content: "down\n" })];
    expect(await check(...tasks())).toEqual(["changed", "ok"]);
    expect(await apply(...tasks())).toEqual(["changed", "ok"]);
  });

  test.each<{ what: string; task: () => Node; expected: string }>([
    {
      what: "a mode",
      task: () => t.file({ path: at("current/conf"), content: "release=2\nk=2x\n", mode: "0600" }),
      expected: "changed",
    },
    {
      what: "a command that creates",
      task: () => t.command({ command: ["touch", at("current/flag")], creates: at("current/flag") }),
      expected: "changed",
    },
    { what: "a block", task: () => t.fileBlock({ path: at("current/conf"), block: "b\n" }), expected: "changed" },
    {
      what: "a path that must be absent",
      task: () => t.file({ path: at("current/flag"), state: "absent" }),
      expected: "ok",
    },
  ])("$what is looked for behind the new target", async ({ task, expected }) => {
    releases();
    expect(await check(switched(), task())).toEqual(["changed", expected]);
    expect(await apply(switched(), task())).toEqual(["changed", expected]);
    expect(await apply(switched(), task())).toEqual(["ok", "ok"]);
    expect(read("releases/1/conf")).toBe("release=1\nk=1x\n");
    expect(read("releases/2/conf")).toMatch(/^release=2\n/);
  });

  test("a link to a link leads on", async () => {
    releases();
    symlinkSync("current", at("app"));
    const tasks = (): Node[] => [switched(), t.file({ path: at("app/flag"), content: "up\n" })];
    expect(await check(...tasks())).toEqual(["changed", "changed"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed"]);
    expect(read("releases/2/flag")).toBe("up\n");
  });

  test("a command that points it elsewhere", async () => {
    releases();
    const tasks = (): Node[] => [
      t.command({ command: ["ln", "-sfn", "releases/2", at("current")], always: true }),
      t.fileLine({ path: at("current/conf"), line: "k=2", match: "^k=" }),
      t.file({ path: at("current/flag"), content: "up\n" }),
    ];
    expect(await apply(...tasks())).toEqual(["changed", "changed", "changed"]);
    expect(read("releases/2/conf")).toBe("release=2\nk=2\n");
  });
});

describe("a link that an earlier task removes or leaves dangling", () => {
  const source = (): string => {
    mkdirSync(at("source"), { recursive: true });
    writeFileSync(at("source/g"), "g\n");
    return at("source");
  };

  test("check does not claim that a tree is created behind it: the run refuses the link", async () => {
    mkdirSync(at("real"));
    symlinkSync("../app", at("real/up"));
    const tasks = (): Node[] => [
      t.file({ path: at("app"), state: "link", target: "nowhere" }),
      t.directoryTree({ path: at("real/up"), source: source() }),
    ];
    expect(await check(...tasks())).toEqual(["changed", "undecided"]);
    expect(await apply(...tasks())).toEqual(["changed", "failed E_REFUSED"]);
  });

  test("a link into a purged tree or a removed directory leads nowhere in check either", async () => {
    for (const gone of ["purge", "absent"]) {
      mkdirSync(at("real"), { recursive: true });
      writeFileSync(at("real/g"), "g\n");
      symlinkSync(at("real"), at("real/up"));
      const tasks = (): Node[] => [
        gone === "purge"
          ? t.directoryTree({ path: at("real"), source: source(), purge: true })
          : t.file({ path: at("real/up"), state: "absent" }),
        t.directoryTree({ path: at("real/up"), source: source() }),
      ];
      const checked = await check(...tasks());
      expect(checked[1]).toMatch(/^(changed|undecided)$/);
      expect(await apply(...tasks())).toEqual(["changed", "changed"]);
      rmSync(at("real"), { recursive: true });
    }
  });
});

test("check does not claim the removal of a directory that an earlier task may fill", async () => {
  mkdirSync(at("e"));
  const tasks = (): Node[] => [
    t.command({ command: ["touch", at("e/x")], always: true, disturbs: [`removal:${at("e")}`] }),
    t.file({ path: at("e"), state: "absent" }),
  ];
  expect(await check(...tasks())).toEqual(["changed", "undecided"]);
  expect(await apply(...tasks())).toEqual(["changed", "failed E_REFUSED"]);
});

test("check does not report ok for what a purging tree may remove, while the tree's content is unknown", async () => {
  for (const name of ["next", "one"]) mkdirSync(at(name));
  symlinkSync("next", at("app"));
  writeFileSync(at("one/g"), "g\n");
  writeFileSync(at("packed"), "p\n");
  execFileSync("tar", ["-cf", at("a.tar"), "-C", root, "packed"]);
  const unpacked = (): Node => t.unarchive({ archive: at("a.tar"), to: at("next"), creates: at("next/packed") });
  const tasks = (): Node[] => [
    unpacked(),
    t.directoryTree({ path: at("app"), source: at("one"), purge: true }),
    unpacked(),
  ];
  expect(await check(...tasks())).toEqual(["changed", "undecided", "undecided"]);
  expect(await apply(...tasks())).toEqual(["changed", "changed", "changed"]);
});

describe("two names of one file", () => {
  test("a content by one name and a line by the other both stay", async () => {
    mkdirSync(at("real"));
    symlinkSync("real", at("d"));
    const tasks = (): Node[] => [
      t.fileLine({ path: at("d/f"), line: "1" }),
      t.fileLine({ path: at("real/f"), line: "2" }),
    ];
    writeFileSync(at("real/f"), "0\n");
    expect(await check(...tasks())).toEqual(["changed", "changed"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed"]);
    expect(read("real/f")).toBe("0\n1\n2\n");
  });

  test("a link and its directory are created in the same play", async () => {
    const tasks = (): Node[] => [
      t.file({ path: at("real"), state: "directory" }),
      t.file({ path: at("d"), state: "link", target: "real" }),
      t.fileLine({ path: at("d/f"), line: "1", create: true }),
      t.fileLine({ path: at("real/f"), line: "2", create: true }),
    ];
    expect(await check(...tasks())).toEqual(["changed", "changed", "changed", "changed"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed", "changed", "changed"]);
    expect(read("real/f")).toBe("1\n2\n");
    expect(await apply(...tasks())).toEqual(["ok", "ok", "ok", "ok"]);
  });

  test("a hard link's mode changes by its other name", async () => {
    writeFileSync(at("a"), "x\n", { mode: 0o644 });
    chmodSync(at("a"), 0o644);
    linkSync(at("a"), at("b"));
    const tasks = (): Node[] => [
      t.file({ path: at("a"), content: "x\n", mode: "0600" }),
      t.command({ command: ["touch", at("done")], creates: at("done"), disturbs: [`file:${at("done")}`] }),
      t.file({ path: at("b"), content: "x\n", mode: "0600" }),
    ];
    expect(await check(...tasks())).toEqual(["changed", "changed", "ok"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed", "ok"]);
    expect(statSync(at("b")).mode & 0o777).toBe(0o600);
  });
});
