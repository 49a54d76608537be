import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../../core/authoring/group.ts";
import * as t from "../../../../tasks/index.ts";
import { runNodes, taskHost, type TaskHost } from "../../../../test/tasks/on-host.ts";

let folder = "";
let host: TaskHost;
let shell: readonly string[];
let holder: ChildProcess;
const at = (path: string): string => join(folder, path);
const flags = (sign: "+" | "-"): void => {
  const script = `chattr ${sign}i "$1"/fixed* "$1"/*/fixed*; chattr ${sign}a "$1"/log* "$1"/*/log*`;
  execFileSync("sh", ["-c", script, "sh", folder]);
};

/** Real attributes on a file system on disk, and mounts in a private namespace. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "furrow held "));
  for (const name of ["fixed dir/sub", "log dir/sub", "plain/fixed dir", "kept/fixed below", "free", "source"])
    mkdirSync(at(name), { recursive: true });
  for (const name of ["fixed", "log", "plain/fixed", "plain/log", "plain/mounted", "plain/free", "source/file"])
    writeFileSync(at(name), "old\n");
  for (const name of ["fixed dir/conf", "log dir/conf", "kept/fixed below/x", "free/x", "plain/over"])
    writeFileSync(at(name), "old\n");
  flags("+");
  const script = `mount --bind "$1/source/file" "$1/plain/mounted"
mount --bind "$1/source/file" "$1/free/x"; mount -t tmpfs none "$1/free"; echo old > "$1/free/x"; echo mounted; exec sleep 600`;
  const words = ["--mount", "--propagation", "private", "sh", "-ec", script, "sh", folder];
  holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout as Readable, "data");
  shell = ["nsenter", `--target=${holder.pid}`, "--mount", "sh"];
  host = taskHost(shell);
});
afterAll(() => {
  holder.kill();
  flags("-");
  rmSync(folder, { recursive: true, force: true });
});

const held: Readonly<Record<string, () => Node>> = {
  "new content of an immutable file": () => t.file({ path: at("fixed"), content: "x\n" }),
  "a line in an immutable file": () => t.fileLine({ path: at("plain/fixed"), line: "more" }),
  "the mode of an immutable file": () => t.file({ path: at("fixed"), content: "old\n", mode: "0600" }),
  "the removal of an immutable file": () => t.file({ path: at("fixed"), state: "absent" }),
  "a new file in an immutable directory": () => t.file({ path: at("fixed dir/new"), content: "x\n" }),
  "new content of a file in an immutable directory": () => t.file({ path: at("fixed dir/conf"), content: "x\n" }),
  "a directory in an immutable directory": () => t.file({ path: at("fixed dir/new"), state: "directory" }),
  "directories below an immutable directory": () =>
    t.file({ path: at("fixed dir/a/b"), state: "directory", parents: true }),
  "the mode of an immutable directory": () => t.file({ path: at("fixed dir"), state: "directory", mode: "0700" }),
  "a link in an immutable directory": () => t.file({ path: at("fixed dir/l"), state: "link", target: "x" }),
  "a tree with a file in an immutable directory": () =>
    t.directoryTree({ path: at("plain/fixed dir"), source: at("source") }),
  "new content of an append-only file": () => t.file({ path: at("log"), content: "x\n" }),
  "the mode of an append-only file": () => t.file({ path: at("log"), content: "old\n", mode: "0600" }),
  "the removal of an append-only file": () => t.file({ path: at("plain/log"), state: "absent" }),
  "a new file in an append-only directory": () => t.file({ path: at("log dir/new"), content: "x\n" }),
  "a link in an append-only directory": () => t.file({ path: at("log dir/l"), state: "link", target: "x" }),
  "the removal of a directory in an append-only directory": () => t.file({ path: at("log dir/sub"), state: "absent" }),
  "the removal of a tree with an immutable directory in it": () =>
    t.file({ path: at("kept"), state: "absent", recursive: true }),
  "new content of a file that is a mount point": () => t.file({ path: at("plain/mounted"), content: "x\n" }),
  "a line in a file that is a mount point": () => t.fileLine({ path: at("plain/mounted"), line: "more" }),
  "a new file in /sys": () => t.file({ path: "/sys/kernel/furrow", content: "x\n" }),
  "new content of a file in /proc": () => t.file({ path: "/proc/sys/kernel/core_pattern", content: "furrow\n" }),
  "a directory in /proc": () => t.file({ path: "/proc/furrow", state: "directory" }),
};

describe("a path that the kernel does not let anyone change", () => {
  test.each(Object.keys(held))("%s fails in check mode and in a run", async (name) => {
    const node = held[name] as () => Node;
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](node());
      expect(ends.map(({ outcome, error }) => [mode, outcome, error?.code])).toEqual([[mode, "failed", "E_STEP"]]);
    }
  });

  test("check refuses to remove a file that is a mount point, as a run does", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](t.file({ path: at("plain/mounted"), state: "absent" }));
      expect(ends.map(({ error }) => error?.code)).toEqual(["E_REFUSED"]);
    }
  });

  test("the error in check mode names the obstacle and the remedy", async () => {
    const errorOf = async (node: Node) => (await host.check(node))[0]?.error?.failure;
    expect(await errorOf(t.file({ path: at("fixed"), content: "x\n" }))).toMatchObject({
      what: `write ${at("fixed")} would fail`,
      current: `${at("fixed")} is immutable`,
      hint: `Remove the attribute first: chattr -i '${at("fixed")}'`,
    });
    expect(await errorOf(t.file({ path: at("log dir/new"), content: "x\n" }))).toMatchObject({
      current: `${at("log dir")} is append-only`,
    });
    expect(await errorOf(t.file({ path: at("plain/mounted"), content: "x\n" }))).toMatchObject({
      current: `${at("plain/mounted")} is a mount point`,
    });
    expect(await errorOf(t.file({ path: "/sys/kernel/furrow", content: "x\n" }))).toMatchObject({
      current: "/sys/kernel is on sysfs",
    });
    expect(await errorOf(t.mount({ path: at("source/file/m"), source: "tmpfs", fileSystem: "tmpfs" }))).toMatchObject({
      current: `${at("source/file")} is not a directory`,
    });
  });
});

test("in a run, the error of the failed step names the same obstacle and remedy as check mode does", async () => {
  const nodes: Node[] = [
    t.file({ path: at("fixed"), content: "x\n" }),
    t.file({ path: at("fixed"), state: "absent" }),
    t.file({ path: at("fixed dir/new"), content: "x\n" }),
    t.file({ path: at("log"), content: "x\n" }),
    t.file({ path: at("kept"), state: "absent", recursive: true }),
    t.file({ path: at("plain/mounted"), content: "x\n" }),
  ];
  for (const node of nodes) {
    const [[checked], [ran]] = [await host.check(node), await host.apply(node)];
    const [before, after] = [checked?.error?.failure, ran?.error?.failure];
    expect(after?.hint).toBe(before?.hint);
    expect(after?.current).toContain(before?.current);
    expect([after?.current, ...(after?.details ?? [])].join("\n")).toMatch(/not permitted|busy/);
  }
});

test("in a run, a later task is not told about an obstacle that is gone", async () => {
  const path = at("plain/late");
  await host.sh(`echo old >'${path}'; chattr +i '${path}'`);
  const ends = await host.apply(
    t.file({ path, content: "x\n" }, { ignoreFailure: true }),
    t.command({ command: ["chattr", "-i", path], always: true }),
    t.file({ path, content: "x\n" }),
  );
  expect(ends.map(({ outcome }) => outcome)).toEqual(["failed", "changed", "changed"]);
});

describe("next to a protected path", () => {
  test("a task that changes nothing is ok, and a change that the kernel permits is reported", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](
        t.file({ path: at("fixed"), content: "old\n" }),
        t.file({ path: at("plain/mounted"), content: "old\n" }),
        t.file({ path: at("fixed dir/conf"), content: "old\n", mode: "0640" }),
        t.file({ path: at("fixed dir/sub/new"), content: "x\n" }),
        t.file({ path: at("log dir/made"), state: "directory" }),
        t.file({ path: at("plain/mounted"), content: "old\n", mode: "0640" }),
        t.file({ path: at("plain/free"), content: "x\n" }),
      );
      expect(ends.map(({ outcome }) => outcome)).toEqual(["ok", "ok", ...Array.from({ length: 5 }, () => "changed")]);
    }
  });

  test("a file can be replaced if its mount point is hidden under another mount", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](t.file({ path: at("free/x"), content: "x\n" }));
      expect(ends.map(({ outcome }) => outcome)).toEqual(["changed"]);
    }
  });

  test("a file that is mounted elsewhere can be replaced under its own name", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](t.file({ path: at("source/file"), content: "x\n" }));
      expect(ends.map(({ outcome }) => outcome)).toEqual(["changed"]);
    }
  });

  test("a tree without protected files is removed", async () => {
    mkdirSync(at("plain/tree/below"), { recursive: true });
    writeFileSync(at("plain/tree/below/x"), "");
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](t.file({ path: at("plain/tree"), state: "absent", recursive: true }));
      expect(ends.map(({ outcome }) => outcome)).toEqual(["changed"]);
    }
  });
});

test("check asks about rights in the frame that reads the facts", async () => {
  const nodes = ["a", "b", "c"].map((name) => t.file({ path: at(`plain/${name}`), content: "x\n" }));
  const events = await runNodes(shell, "check", [
    ...nodes,
    t.file({ path: at("kept"), state: "absent", recursive: true }),
  ]);
  const ends = events.flatMap((event) => (event.type === "taskFinished" ? [event.error?.code ?? event.outcome] : []));
  expect(ends).toEqual(["changed", "changed", "changed", "E_STEP"]);
  expect(
    events.flatMap((event) => (event.type === "runFinished" ? event.recap.map(({ frames }) => frames) : [])),
  ).toEqual([1]);
});

describe("after a task that may remove the protection of a path", () => {
  test("the next task is undecided in check mode, whether or not the command declares its changes", async () => {
    const path = at("plain/over");
    for (const disturbs of [undefined, [`file:${path}`]]) {
      const nodes = (): Node[] => [
        t.command({ command: ["chattr", "-i", path], always: true, ...(disturbs && { disturbs, mayProvide: [] }) }),
        t.file({ path, content: `${String(disturbs)}\n` }),
      ];
      await host.sh(`chattr +i '${path}'`);
      const checked = await host.check(...nodes());
      expect(checked.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
      expect(checked[1]?.dependsOn).toContain("command chattr");
      expect((await host.apply(...nodes())).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
    }
  });

  test("the next task is refused in check mode if the command declares changes to something else", async () => {
    const ends = await host.check(
      t.command({ command: ["true"], always: true, disturbs: ["file:/srv/app/**"] }),
      t.file({ path: at("fixed"), content: "x\n" }),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "failed"]);
  });

  test("a file below the mount point of an earlier task is not refused because of the directory that the mount hides", async () => {
    const ends = await host.check(
      t.mount({ path: at("plain/fixed dir"), source: "tmpfs", fileSystem: "tmpfs" }),
      t.file({ path: at("plain/fixed dir/new"), content: "x\n" }),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
  });
});
