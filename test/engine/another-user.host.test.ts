import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";

const become = { become: "nobody" };
const nobody = 65534;
const here = taskHost();
let folder = "";
const at = (path: string): string => join(folder, path);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-another-"));
  chmodSync(folder, 0o755);
  mkdirSync(at("open"));
  chmodSync(at("open"), 0o777);
  execFileSync("tar", ["-cf", at("open/a.tar"), "-C", import.meta.dirname, basename(import.meta.filename)]);
  mkdirSync(at("closed"));
  mkdirSync(at("home"), { mode: 0o700 });
  mkdirSync(at("shared"));
  chmodSync(at("shared"), 0o1777);
  writeFileSync(at("open/secret"), "of root\n", { mode: 0o600 });
  writeFileSync(at("open/theirs"), "of root\n", { mode: 0o644 });
  writeFileSync(at("shared/theirs"), "of root\n", { mode: 0o644 });
  writeFileSync(at("home/theirs"), "of root\n", { mode: 0o644 });
  writeFileSync(at("open/own"), "first\n", { mode: 0o644 });
  chownSync(at("open/own"), nobody, 65534);
  mkdirSync(at("source/sub"), { recursive: true });
  writeFileSync(at("source/sub/file"), "new\n");
  for (const name of ["trees/top/sub", "trees/sub/sub", "trees/file/sub", "trees/dark/sub"])
    mkdirSync(at(name), { recursive: true });
  execFileSync("chown", ["-R", "nobody", at("trees")]);
  chmodSync(at("trees/dark/sub"), 0o444);
  mkdirSync(at("shut/sub"), { recursive: true });
  for (const name of ["shut", "shut/sub"]) chmodSync(at(name), 0o700);
  for (const name of ["trees/top", "trees/sub/sub"]) {
    chownSync(at(name), 0, 0);
    chmodSync(at(name), 0o777);
  }
  writeFileSync(at("trees/file/sub/file"), "of root\n", { mode: 0o644 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const refused: readonly (readonly [string, string, () => Node])[] = [
  [
    "a new file in a directory that root owns",
    "unwritable",
    () => t.file({ path: at("closed/x"), content: "x" }, become),
  ],
  [
    "a new directory in a directory that root owns",
    "unwritable",
    () => t.file({ path: at("closed/d"), state: "directory" }, become),
  ],
  [
    "a line in a file in another user's home",
    "unreadable",
    () => t.fileLine({ path: at("home/theirs"), line: "x" }, become),
  ],
  [
    "a line in a file that only root may read",
    "unreadable",
    () => t.fileLine({ path: at("open/secret"), line: "x" }, become),
  ],
  [
    "a line in a file that root owns",
    "not-the-owner",
    () => t.fileLine({ path: at("open/theirs"), line: "x" }, become),
  ],
  [
    "the mode of a directory that root owns",
    "not-the-owner",
    () => t.file({ path: at("shared"), state: "directory", mode: "0777" }, become),
  ],
  [
    "a file whose new owner is root",
    "not-the-owner",
    () => t.file({ path: at("open/new"), content: "x", owner: "root" }, become),
  ],
  [
    "an archive without `creates`: only root can record that it was unpacked",
    "needs-root",
    () => t.unarchive({ archive: at("open/a.tar"), path: at("open/own-app") }, become),
  ],
  [
    "the removal of a root-owned file from a sticky directory",
    "unwritable",
    () => t.file({ path: at("shared/theirs"), state: "absent" }, become),
  ],
  [
    "a tree in a directory that root owns",
    "unwritable",
    () => t.directoryTree({ path: at("closed/tree"), source: at("source") }, become),
  ],
  [
    "a tree whose top directory is root-owned and would get another mode",
    "not-the-owner",
    () => t.directoryTree({ path: at("trees/top"), source: at("source") }, become),
  ],
  [
    "a tree with a root-owned directory whose mode would change",
    "not-the-owner",
    () => t.directoryTree({ path: at("trees/sub"), source: at("source") }, become),
  ],
  [
    "a tree with a root-owned file that would be replaced by another root-owned file",
    "not-the-owner",
    () => t.directoryTree({ path: at("trees/file"), source: at("source") }, become),
  ],
  [
    "a tree with the user's own directory, whose mode cannot be changed because nobody may enter it",
    "unreachable",
    () => t.directoryTree({ path: at("trees/dark"), source: at("source") }, become),
  ],
  [
    "a tree with a directory that the user may not enter",
    "unreachable",
    () => t.directoryTree({ path: at("shut"), source: at("source"), directoryMode: "0700" }, become),
  ],
];

describe("a task that becomes a user without sufficient rights, in root's session", () => {
  test.each(refused)("both check and run refuse %s, and change nothing", async (_what, code, make) => {
    const before = ["open", "closed", "home", "shared"].map((path) => readdirSync(at(path)));
    for (const mode of ["check", "apply"] as const) {
      const [end] = await here[mode](make());
      expect(end?.error?.code).toBe("E_REFUSED");
      expect(end?.error?.failure.details).toContain(`refused: ${code}`);
      expect(end?.error?.failure.hint).toMatch(/^Set become: "root"/);
      expect(end?.steps).toEqual([]);
    }
    expect(["open", "closed", "home", "shared"].map((path) => readdirSync(at(path)))).toEqual(before);
    expect(readFileSync(at("open/secret"), "utf8")).toBe("of root\n");
  });

  test.each([
    ["the hostname", () => t.hostname({ name: "furrow-other" }, become)],
    ["a kernel parameter", () => t.sysctl({ key: "vm.swappiness", value: 37, persist: false }, become)],
    ["a group", () => t.group({ name: "furrow-other" }, become)],
  ])("check refuses a change to %s, which needs root", async (_what, make) => {
    const [end] = await here.check(make());
    expect(end?.error?.failure.details).toEqual(["refused: needs-root"]);
    expect(end?.error?.failure.hint).toBe('Set become: "root" for this task');
  });
});

describe("a task that becomes a user and removes a tree", () => {
  const node = (): Node => t.file({ path: at("open/tree"), state: "absent", recursive: true }, become);
  const grow = (script: string): Promise<string> =>
    here.sh(`mkdir -p '${at("open/tree/sub")}' && cd '${at("open/tree")}' && chown -R nobody . && ${script}`);

  test("check refuses the removal because of a file in a root-owned directory, and the run fails", async () => {
    await grow("mkdir -p roots && touch roots/x");
    const [checked] = await here.check(node());
    expect(checked?.error?.failure).toMatchObject({
      what: `the task acts as the user nobody, who is not allowed to remove what is in ${at("open/tree/roots")}`,
      details: ["refused: unwritable"],
      hint: expect.stringMatching(/^Set become: "root"/) as string,
    });
    expect((await here.apply(node())).map(({ outcome }) => outcome)).toEqual(["failed"]);
    await here.sh(`rm -r '${at("open/tree/roots")}'`);
  });

  test("check accepts root-owned files and empty directories in the user's own directories, and the run removes them", async () => {
    await grow("touch sub/roots && mkdir sub/empty");
    for (const mode of ["check", "apply"] as const)
      expect((await here[mode](node())).map(({ outcome }) => outcome)).toEqual(["changed"]);
  });
});

describe("a task that becomes a user with sufficient rights", () => {
  test("does what check predicted, even in a directory that an earlier task creates for that user", async () => {
    const nodes = [
      t.fileLine({ path: at("open/own"), line: "second" }, become),
      t.file({ path: at("made"), state: "directory", owner: "nobody" }),
      t.file({ path: at("made/x"), content: "x\n" }, become),
    ];
    for (const mode of ["check", "apply"] as const) {
      const ends = await here[mode](...nodes);
      expect(ends.map(({ outcome, error }) => [outcome, error])).toEqual(nodes.map(() => ["changed", undefined]));
      expect(existsSync(at("made"))).toBe(mode === "apply");
    }
    expect(readFileSync(at("open/own"), "utf8")).toBe("first\nsecond\n");
  });

  test("is refused by check if the directory that an earlier task creates belongs to root", async () => {
    const nodes = [
      t.file({ path: at("roots"), state: "directory" }),
      t.file({ path: at("roots/x"), content: "x\n" }, become),
    ];
    const [, end] = await here.check(...nodes);
    expect(end?.error?.failure.details).toEqual(["refused: unwritable"]);
  });
});

describe("a task that becomes a user and copies a tree", () => {
  const node = (): Node => t.directoryTree({ path: at("open/copy"), source: at("source"), purge: true }, become);
  const grow = (script: string): Promise<string> =>
    here.sh(`mkdir -p '${at("open/copy/old")}' && cd '${at("open/copy")}' && chown -R nobody . && ${script}`);

  test("check refuses to purge a file in a root-owned directory, and the run fails", async () => {
    await grow("mkdir old/roots && touch old/roots/x");
    const [checked] = await here.check(node());
    expect(checked?.error?.failure).toMatchObject({
      what: `the task acts as the user nobody, who is not allowed to remove what is in ${at("open/copy/old/roots")}`,
      details: ["refused: unwritable"],
    });
    expect((await here.apply(node())).map(({ outcome }) => outcome)).toEqual(["failed"]);
    await here.sh(`rm -r '${at("open/copy/old/roots")}'`);
  });

  test("check accepts the removal of root-owned files, and changes in directories that the task itself makes writable", async () => {
    await grow("touch old/roots roots && mkdir -p sub && chown nobody sub && chmod 555 sub");
    for (const mode of ["check", "apply"] as const)
      expect((await here[mode](node())).map(({ outcome }) => outcome)).toEqual(["changed"]);
    expect(readFileSync(at("open/copy/sub/file"), "utf8")).toBe("new\n");
  });
});
