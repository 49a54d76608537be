import { chmodSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PlayRoot } from "../../../test/contract/play-root.ts";
import { armRefused } from "../host/play-undo.ts";
import { undoAnswers } from "../host/undo.ts";

const shells = [["dash"], ["bash", "--norc"], ["busybox", "sh"], ["ksh"], ["mksh"]].filter(([shell = ""]) =>
  ["/usr/bin", "/bin"].some((folder) => existsSync(`${folder}/${shell}`)),
);
const top = mkdtempSync(join(tmpdir(), "furrow-play-undo-files-"));
afterAll(() => rmSync(top, { recursive: true }));

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  test("files with several hard links come back in all their folders, and one that cannot keeps none of the others away", () => {
    const host = new PlayRoot(shell, top);
    host.write("etc/ssh/sub/one", "old link\n");
    linkSync(join(host.root, "etc/ssh/sub/one"), join(host.root, "etc/ssh/linked"));
    expect(host.arm("one", { paths: ["etc/ssh"] })).toEqual({ code: 0, says: "" });
    rmSync(join(host.root, "etc/ssh"), { recursive: true });
    expect(host.revert().code).toBe(0);
    expect(["sub/one", "linked", "a", "b"].map((name) => host.text(`etc/ssh/${name}`))).toEqual([
      "old link\n",
      "old link\n",
      "old a\n",
      "old b\n",
    ]);
    expect(host.end().code).toBe(undoAnswers.reverted);
  });

  test("a tar that cannot store hard links as files: one is refused, asked or armed", () => {
    const host = new PlayRoot(shell, top);
    host.program("tar", `case "$*" in *--hard-dereference*) exit 64 ;; esac; exec /usr/bin/tar "$@"`);
    expect(host.ask(["etc/ssh"])).toEqual({ code: 0, says: "" });
    linkSync(join(host.root, "etc/ssh/a"), join(host.root, "etc/linked"));
    expect(host.ask(["etc/ssh"])).toMatchObject({
      code: armRefused,
      says: expect.stringContaining("hard links") as string,
    });
    expect(host.arm("one", { paths: ["etc/ssh/a"] })).toMatchObject({ code: armRefused });
    expect(host.arm("two", { paths: ["etc/ssh/b"] })).toEqual({ code: 0, says: "" });
  });

  test("the modes of folders are as they were before the first task, also after a boot", () => {
    const host = new PlayRoot(shell, top);
    chmodSync(join(host.root, "etc/ssh"), 0o750);
    expect(host.arm("one", { folders: ["etc/ssh", "etc/missing"] })).toEqual({ code: 0, says: "" });
    chmodSync(join(host.root, "etc/ssh"), 0o777);
    expect(host.arm("two", { folders: ["etc/ssh"] })).toEqual({ code: 0, says: "" });
    host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
    expect(host.revert().code).toBe(0);
    expect(statSync(join(host.root, "etc/ssh")).mode & 0o7777).toBe(0o750);
    expect(host.end().code).toBe(undoAnswers.reverted);
  });
});
