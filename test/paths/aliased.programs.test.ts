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

describe("a link that an earlier task points at another target", () => {
  test("makes a task add its line to the new target's file, and keep that file's text", async () => {
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

  test("makes check report ok only for files that are correct in the new target", async () => {
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
      what: "a command with `creates`",
      task: () => t.command({ command: ["touch", at("current/flag")], creates: at("current/flag") }),
      expected: "changed",
    },
    { what: "a block", task: () => t.fileBlock({ path: at("current/conf"), block: "b\n" }), expected: "changed" },
    {
      what: "a path that must be absent",
      task: () => t.file({ path: at("current/flag"), state: "absent" }),
      expected: "ok",
    },
  ])("makes $what apply to the new target", async ({ task, expected }) => {
    releases();
    expect(await check(switched(), task())).toEqual(["changed", expected]);
    expect(await apply(switched(), task())).toEqual(["changed", expected]);
    expect(await apply(switched(), task())).toEqual(["ok", "ok"]);
    expect(read("releases/1/conf")).toBe("release=1\nk=1x\n");
    expect(read("releases/2/conf")).toMatch(/^release=2\n/);
  });

  test("also takes effect through a link to the link", async () => {
    releases();
    symlinkSync("current", at("app"));
    const tasks = (): Node[] => [switched(), t.file({ path: at("app/flag"), content: "up\n" })];
    expect(await check(...tasks())).toEqual(["changed", "changed"]);
    expect(await apply(...tasks())).toEqual(["changed", "changed"]);
    expect(read("releases/2/flag")).toBe("up\n");
  });

  test("can also be changed by a command", async () => {
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

  test("leaves a tree below it undecided in check mode, because the run refuses the link", async () => {
    mkdirSync(at("real"));
    symlinkSync("../app", at("real/up"));
    const tasks = (): Node[] => [
      t.file({ path: at("app"), state: "link", target: "nowhere" }),
      t.directoryTree({ path: at("real/up"), source: source() }),
    ];
    expect(await check(...tasks())).toEqual(["changed", "undecided"]);
    expect(await apply(...tasks())).toEqual(["changed", "failed E_REFUSED"]);
  });

  test("does not resolve in check mode either, whether a tree purges it or a task removes it", async () => {
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

test("check leaves the removal of a directory undecided if an earlier task may fill it", async () => {
  mkdirSync(at("e"));
  const tasks = (): Node[] => [
    t.command({ command: ["touch", at("e/x")], always: true, disturbs: [`removal:${at("e")}`] }),
    t.file({ path: at("e"), state: "absent" }),
  ];
  expect(await check(...tasks())).toEqual(["changed", "undecided"]);
  expect(await apply(...tasks())).toEqual(["changed", "failed E_REFUSED"]);
});

test("check leaves files undecided if a tree with unknown content may purge them", async () => {
  for (const name of ["next", "one"]) mkdirSync(at(name));
  symlinkSync("next", at("app"));
  writeFileSync(at("one/g"), "g\n");
  writeFileSync(at("packed"), "p\n");
  execFileSync("tar", ["-cf", at("a.tar"), "-C", root, "packed"]);
  const unpacked = (): Node => t.unarchive({ archive: at("a.tar"), path: at("next"), creates: at("next/packed") });
  const tasks = (): Node[] => [
    unpacked(),
    t.directoryTree({ path: at("app"), source: at("one"), purge: true }),
    unpacked(),
  ];
  expect(await check(...tasks())).toEqual(["changed", "undecided", "undecided"]);
  expect(await apply(...tasks())).toEqual(["changed", "changed", "changed"]);
});

describe("two names of one file", () => {
  test("keep two lines that tasks add under different names", async () => {
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

  test("work if the same play creates a link and its directory", async () => {
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

  test("include a hard link, so a mode that is set under one name also applies under the other", async () => {
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
