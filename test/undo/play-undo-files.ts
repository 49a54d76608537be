import { chmodSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PlayRoot } from "../contract/play-root.ts";
import { armRefused } from "../../src/core/host/play-undo.ts";
import { undoAnswers } from "../../src/core/host/undo.ts";

/** Tests, in each of these shells, how a host restores the files that a play changed if nobody confirms the changes. */
export function playUndoFilesTests(shells: readonly (readonly string[])[]): void {
  const top = mkdtempSync(join(tmpdir(), "furrow-play-undo-files-"));
  afterAll(() => rmSync(top, { recursive: true }));

  describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
    test("a file with several hard links is restored in all its folders, together with the other files", () => {
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

    test("if tar cannot store hard links as separate files, `ask` and `arm` refuse a file with several hard links", () => {
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

    test("a revert restores the modes that folders had before the first task, even after a reboot", () => {
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

    test("a later task that saves a whole folder does not save the files in it that earlier tasks changed", () => {
      const host = new PlayRoot(shell, top);
      host.write("etc/ssh/conf.d/05-old", "old\n");
      host.write("etc/ssh/conf.d.other", "old other\n");
      expect(host.arm("new file", { paths: ["etc/ssh/conf.d/10-new"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/conf.d/10-new", "bad\n");
      expect(host.arm("old file", { paths: ["etc/ssh/conf.d/05-old"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/conf.d/05-old", "bad\n");
      expect(host.arm("tree", { paths: ["etc/ssh/conf.d", "etc/ssh/conf.d/20-other"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/conf.d/20-other", "bad\n");
      expect(host.arm("all", { paths: ["etc/ssh"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/conf.d.other", "bad\n");
      expect(host.revert().code).toBe(0);
      const now = ["05-old", "10-new", "20-other"].map((name) => host.text(`etc/ssh/conf.d/${name}`));
      expect([...now, host.text("etc/ssh/conf.d.other"), host.text("etc/ssh/a")]).toEqual([
        "old\n",
        "(absent)",
        "(absent)",
        "old other\n",
        "old a\n",
      ]);
      expect(host.end().code).toBe(undoAnswers.reverted);
    });

    test("files whose names contain backslashes, spaces or brackets are restored, and a socket is left alone", async () => {
      const host = new PlayRoot(shell, top);
      const names = ["a\\nb", "x\\141", "two words", "[a]*", "-C", "é"];
      for (const name of names) host.write(`etc/ssh/${name}`, `old ${name}\n`);
      const server = createServer().listen(join(host.root, "etc/ssh/socket"));
      await once(server, "listening");
      expect(host.arm("one", { paths: ["etc/ssh"] })).toEqual({ code: 0, says: "" });
      for (const name of names) host.write(`etc/ssh/${name}`, "bad\n");
      expect(host.revert().code).toBe(0);
      expect(names.map((name) => host.text(`etc/ssh/${name}`))).toEqual(names.map((name) => `old ${name}\n`));
      expect(existsSync(join(host.root, "etc/ssh/socket"))).toBe(true);
      expect(host.end().code).toBe(undoAnswers.reverted);
      server.close();
    });

    test("on a full disk, the files that a revert replaces are emptied first to make room", () => {
      const host = new PlayRoot(shell, top);
      expect(host.arm("one", { paths: ["etc/ssh/a", "etc/ssh/b"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/a", "bad\n");
      host.program(
        "tar",
        `case "$*" in *-xpf*) ! grep -q bad ${host.root}/etc/ssh/a || exit 2 ;; esac; exec /usr/bin/tar "$@"`,
      );
      expect(host.revert().code).toBe(0);
      expect([host.text("etc/ssh/a"), host.text("etc/ssh/b")]).toEqual(["old a\n", "old b\n"]);
      expect(host.end().code).toBe(undoAnswers.reverted);
    });
  });
}
