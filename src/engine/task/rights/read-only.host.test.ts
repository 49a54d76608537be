import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../../core/authoring/group.ts";
import * as t from "../../../../tasks/index.ts";
import { taskHost, type TaskHost } from "../../../../test/tasks/on-host.ts";

let folder = "";
let frozen = "";
let host: TaskHost;
let holder: ChildProcess;

/** Mounts in a private namespace: a read-only bind mount, a writable mount in it, and a file that is a mount point. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "furrow-read-only-"));
  frozen = join(folder, "a frozen");
  for (const name of ["a frozen/sub", "a frozen/data", "plain", "archived"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["a frozen/conf", "plain/held", "archived/new"]) writeFileSync(join(folder, name), "old\n");
  symlinkSync("a frozen/sub", join(folder, "way"));
  symlinkSync("nowhere", join(frozen, "link"));
  execFileSync("tar", ["-C", join(folder, "archived"), "-cf", join(folder, "new.tar"), "new"]);
  const script = `mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; mount -t tmpfs none "$1/data"
mount --bind "$2" "$2"; mount -o remount,bind,ro "$2"; echo mounted; exec sleep 600`;
  const words = ["--mount", "--propagation", "private", "sh", "-ec", script, "sh", frozen, join(folder, "plain/held")];
  holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout as Readable, "data");
  host = taskHost(["nsenter", `--target=${holder.pid}`, "--mount", "sh"]);
});
afterAll(() => {
  holder.kill();
  rmSync(folder, { recursive: true, force: true });
});

const writes: Readonly<Record<string, () => Node>> = {
  "a new file": () => t.file({ path: `${frozen}/new`, content: "x\n" }),
  "new content": () => t.file({ path: `${frozen}/conf`, content: "x\n" }),
  "a directory below one that does not exist": () => t.file({ path: `${frozen}/none/x`, state: "directory" }),
  "a file through a link": () => t.file({ path: `${folder}/way/new`, content: "x\n" }),
  "a mode": () => t.file({ path: `${frozen}/conf`, content: "old\n", mode: "0600" }),
  "the mode of the mount point": () => t.file({ path: frozen, state: "directory", mode: "0700" }),
  "the mode of a file that is a read-only mount": () =>
    t.file({ path: `${folder}/plain/held`, content: "old\n", mode: "0600" }),
  "a directory": () => t.file({ path: `${frozen}/made`, state: "directory" }),
  "a removal": () => t.file({ path: `${frozen}/conf`, state: "absent" }),
  "a removed directory": () => t.file({ path: `${frozen}/sub`, state: "absent", recursive: true }),
  "a link": () => t.file({ path: `${frozen}/link`, state: "link", target: "elsewhere" }),
  "a line": () => t.fileLine({ path: `${frozen}/conf`, line: "more" }),
  "a block": () => t.fileBlock({ path: `${frozen}/conf`, block: "more" }),
  "a tree": () => t.directoryTree({ path: `${frozen}/sub`, source: join(folder, "archived") }),
  "an archive in the mount point, if only a marker shows that it was unpacked": () =>
    t.unarchive({ archive: join(folder, "new.tar"), path: frozen, creates: join(folder, "plain/unpacked") }),
  "an archive": () => t.unarchive({ archive: join(folder, "new.tar"), path: `${frozen}/sub` }),
};

describe("on a read-only file system", () => {
  test.each(Object.keys(writes))("%s fails in check mode and in a run", async (name) => {
    const node = writes[name] as () => Node;
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](node());
      expect(ends.map(({ outcome, error }) => [outcome, error?.code])).toEqual([["failed", "E_READ_ONLY"]]);
    }
  });

  test("the error in check mode names the read-only mount and the remedy", async () => {
    const [end] = await host.check(t.file({ path: `${frozen}/conf`, content: "x\n" }));
    expect(end?.error?.failure).toMatchObject({
      what: `write ${frozen}/conf would fail`,
      current: `${frozen} is mounted read-only`,
      expected: "a writable file system",
    });
  });

  test("a task that changes nothing is ok, and a writable mount below the read-only one can be changed", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](
        t.file({ path: `${frozen}/conf`, content: "old\n" }),
        t.file({ path: `${frozen}/data`, state: "directory", mode: "0700" }),
        t.file({ path: `${frozen}/data/new`, content: "x\n" }),
        t.file({ path: `${folder}/plain/new ${mode}`, content: "x\n" }),
      );
      expect(ends.map(({ outcome }) => outcome)).toEqual(["ok", "changed", "changed", "changed"]);
    }
  });

  test("the task is undecided in check mode after a command that may remount the file system", async () => {
    const nodes = (): Node[] => [
      t.command({ command: ["mount", "-o", "remount,bind,rw", frozen], always: true }),
      t.file({ path: `${frozen}/remounted`, content: "x\n" }),
    ];
    const checked = await host.check(...nodes());
    expect(checked.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
    expect(checked[1]?.dependsOn).toContain("command mount");
    expect((await host.apply(...nodes())).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
    await host.sh(`mount -o remount,bind,ro '${frozen}'`);
  });

  test("the task is refused in check mode if the command declares changes to something else", async () => {
    const ends = await host.check(
      t.command({ command: ["true"], always: true, disturbs: ["file:/srv/app/**"] }),
      t.file({ path: `${frozen}/new`, content: "x\n" }),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "failed"]);
  });
});

describe("on a host whose /etc is read-only", () => {
  let etc: ChildProcess;
  let closed: TaskHost;
  beforeAll(async () => {
    const script = "mount --bind /etc /etc; mount -o remount,bind,ro /etc; echo mounted; exec sleep 600";
    etc = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-ec", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(etc.stdout as Readable, "data");
    closed = taskHost(["nsenter", `--target=${etc.pid}`, "--mount", "sh"]);
  });
  afterAll(() => etc.kill());

  test.each<[string, () => Node]>([
    ["a new user", () => t.user({ name: "furrow-never" })],
    ["a new group", () => t.group({ name: "furrow-never" })],
    ["a different shell for a user", () => t.user({ name: "nobody", shell: "/bin/sh" })],
  ])("%s fails in check mode and in a run", async (_, node) => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await closed[mode](node());
      expect(ends.map(({ outcome, error }) => [outcome, error?.code])).toEqual([["failed", "E_STEP"]]);
    }
    const [end] = await closed.check(node());
    expect(end?.error?.failure).toMatchObject({ current: "/etc is mounted read-only" });
  });

  test("the task is undecided in check mode after a command that may remount the file system", async () => {
    const ends = await closed.check(t.command({ command: ["true"], always: true }), t.group({ name: "furrow-never" }));
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
  });

  test("a user that needs no change is ok, and a host with a writable /etc gets a new group", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await closed[mode](t.user({ name: "nobody" }));
      expect(ends.map(({ outcome }) => outcome)).toEqual(["ok"]);
    }
    const name = `furrow-made-${process.pid}`;
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](t.group({ name }));
      expect(ends.map(({ outcome }) => outcome)).toEqual(["changed"]);
    }
    expect((await host.apply(t.group({ name, state: "absent" }))).map(({ outcome }) => outcome)).toEqual(["changed"]);
  });
});
