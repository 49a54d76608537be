import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { UndoRoot } from "../contract/undo-root.ts";
import { undoAnswers } from "../../src/core/host/undo.ts";

/** Tests, in each of these shells, how a host reverts a change to its network that nobody confirmed. */
export function undoTests(shells: readonly (readonly string[])[]): void {
  const top = mkdtempSync(join(tmpdir(), "furrow-undo-"));
  afterAll(() => rmSync(top, { recursive: true }));

  describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
    test("an undo restores what was saved, and removes what did not exist before", () => {
      const host = new UndoRoot(shell, top);
      expect(host.arm()).toEqual({ code: 0, says: "" });
      host.write("etc/network/interfaces", "new\n");
      host.write("etc/network/interfaces.d/furrow-eth1", "new\n");
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/network/interfaces")).toBe("old\n");
      expect(readdirSync(join(host.network, "interfaces.d"))).toEqual([]);
      expect([host.unit, host.link].filter((path) => existsSync(path))).toEqual([]);
      expect(readdirSync(host.folder).toSorted()).toEqual(["reverted", "undo"]);
      expect(readdirSync(join(host.folder, "reverted"))).not.toContain("files.tar");
      expect(host.end("").code).toBe(undoAnswers.reverted);
    });

    test("the timer runs before the unit for the next boot is enabled", () => {
      const host = new UndoRoot(shell, top);
      expect(host.arm().code).toBe(0);
      expect(host.text("seen")).toContain("No such file");
      expect(existsSync(host.link)).toBe(true);
      expect(readFileSync(host.unit, "utf8")).toContain(`ExecStart=/bin/sh ${host.folder}/undo network`);
    });

    test("if the timer cannot be started, nothing stays armed, so a later boot does not revert manual edits", () => {
      const host = new UndoRoot(shell, top);
      host.program("systemd-run", "exit 1");
      expect(host.arm()).toEqual({ code: 1, says: "systemd cannot start the timer that would revert the change\n" });
      expect([host.unit, host.link, host.folder].filter((path) => existsSync(path))).toEqual([]);
    });

    test("if the unit cannot be written, nothing stays armed, and the timer is stopped", () => {
      const host = new UndoRoot(shell, top);
      host.write("etc/systemd/system", "a file in place of the folder\n");
      expect(host.arm().code).not.toBe(0);
      expect(existsSync(host.folder)).toBe(false);
      expect(host.text("said")).toMatch(/systemctl stop furrow-undo-network-\d+\.timer/);
    });

    test("if arming again fails, the saved state and the units of the first arming remain", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "new\n");
      host.program("systemd-run", "exit 1");
      expect(host.arm().code).toBe(1);
      expect(existsSync(host.link)).toBe(true);
      host.revert();
      expect(host.text("etc/network/interfaces")).toBe("old\n");
    });

    test("arming again keeps what was saved before the unconfirmed change", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "new\n");
      expect(host.arm().code).toBe(0);
      host.revert();
      expect(host.text("etc/network/interfaces")).toBe("old\n");
    });

    test("what was saved does not count if the arming script is killed: a boot keeps later edits, and the next run saves them", () => {
      const host = new UndoRoot(shell, top);
      // The script is killed when it starts the timer.
      host.program("systemd-run", "kill -9 $PPID");
      expect(host.arm().code).toBeNull();
      host.write("etc/network/interfaces", "by hand\n");
      host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/network/interfaces")).toBe("by hand\n");
      expect(existsSync(join(host.folder, "armed"))).toBe(false);

      expect(host.arm().code).toBeNull();
      host.write("etc/network/interfaces", "by hand again\n");
      host.program("systemd-run", ":");
      expect(host.arm().code).toBe(0);
      host.write("etc/network/interfaces", "new\n");
      host.revert();
      expect(host.text("etc/network/interfaces")).toBe("by hand again\n");
    });

    test("a link to a folder is refused, because the files in the folder would not be restored", () => {
      const host = new UndoRoot(shell, top);
      const path = join(host.root, "etc/linked");
      symlinkSync(host.network, path);
      const { code, says } = host.arm(path);
      expect(code).toBe(81);
      expect(says).toBe(`${path} is a link to a folder, so the host could not restore the files in it\n`);
      expect(existsSync(host.folder)).toBe(false);
    });

    test("a folder that was replaced by a link becomes a folder again, and nothing behind the link changes", () => {
      const host = new UndoRoot(shell, top);
      host.write("etc/network/interfaces.d/eth1", "old\n");
      host.write("etc/network/interfaces.d/a b", "old too\n");
      host.write("srv/eth1", "of others\n");
      host.write("srv/eth2", "of others\n");
      host.arm();
      rmSync(join(host.network, "interfaces.d"), { recursive: true });
      symlinkSync(join(host.root, "srv"), join(host.network, "interfaces.d"));
      host.revert();
      expect(host.end("").code).toBe(undoAnswers.reverted);
      expect(readdirSync(join(host.network, "interfaces.d")).toSorted()).toEqual(["a b", "eth1"]);
      expect(host.text("etc/network/interfaces.d/eth1")).toBe("old\n");
      expect([host.text("srv/eth1"), host.text("srv/eth2")]).toEqual(["of others\n", "of others\n"]);
    });

    test.each(["a file that existed", "no file"])(
      "nothing is restored or removed behind a link that has replaced a file's folder: %s",
      (was) => {
        const host = new UndoRoot(shell, top);
        const path = join(host.root, "home/ana/.ssh/authorized_keys");
        host.write("home/ana/.ssh/other", "x");
        if (was !== "no file") host.write("home/ana/.ssh/authorized_keys", "old\n");
        host.write("root/secret/authorized_keys", "of root\n");
        host.arm(path);
        rmSync(dirname(path), { recursive: true });
        symlinkSync(join(host.root, "root/secret"), dirname(path));
        host.revert();
        expect(host.text("root/secret/authorized_keys")).toBe("of root\n");
        expect(readdirSync(join(host.root, "root/secret"))).toEqual(["authorized_keys"]);
        const { code, says } = host.end("");
        expect(code).toBe(undoAnswers.notRestored);
        expect(says).toContain(was === "no file" ? "see the log" : "they are in");
        expect(host.text("var/lib/furrow/undo/network/reverted/log")).toContain(".ssh/ is no longer the same folder");
      },
    );

    test("a file that became a folder or a link becomes a file again, and the link's target stays unchanged", () => {
      const host = new UndoRoot(shell, top);
      host.write("etc/network/second", "second\n");
      host.write("srv/target", "of others\n");
      host.arm();
      rmSync(join(host.network, "interfaces"));
      host.write("etc/network/interfaces/x", "new\n");
      rmSync(join(host.network, "second"));
      symlinkSync(join(host.root, "srv/target"), join(host.network, "second"));
      host.revert();
      expect(host.end("").code).toBe(undoAnswers.reverted);
      expect([host.text("etc/network/interfaces"), host.text("etc/network/second")]).toEqual(["old\n", "second\n"]);
      expect(host.text("srv/target")).toBe("of others\n");
      expect(readdirSync(host.network).toSorted()).toEqual(["interfaces", "interfaces.d", "second"]);
    });

    test("a name with a line break is refused", () => {
      const host = new UndoRoot(shell, top);
      host.write("etc/network/a\nb", "x");
      expect(host.arm()).toMatchObject({
        code: 81,
        says: expect.stringContaining("contains a line break") as string,
      });
      expect(existsSync(host.folder)).toBe(false);
    });

    test("if the preparation outlasts its timer, everything is reverted, even what was written after the first revert", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "early\n");
      host.revert();
      expect(host.text("etc/network/interfaces")).toBe("old\n");
      host.write("etc/network/interfaces", "late\n");
      host.write("etc/network/interfaces.d/late", "late\n");
      expect(host.begin()).toEqual({
        code: 1,
        says: "the change took so long to prepare that the host has reverted it\n",
      });
      expect(host.text("etc/network/interfaces")).toBe("old\n");
      expect(readdirSync(join(host.network, "interfaces.d"))).toEqual([]);
      expect(readdirSync(join(host.folder, "reverted")).filter((name) => name.endsWith(".tar"))).toEqual([]);
      expect(host.begin().code).toBe(1);
      expect(host.arm().code).toBe(0);
    });

    test("on a full disk, the changed file stays complete", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "new\n");
      host.program("mv", 'case "$*" in *.furrow-undo*) exit 1 ;; esac; exec /bin/mv "$@"');
      host.revert();
      expect(host.end("").code).toBe(undoAnswers.notRestored);
      expect(host.text("etc/network/interfaces")).toBe("new\n");
      expect(readdirSync(host.network).toSorted()).toEqual(["interfaces", "interfaces.d"]);
    });

    test.each([
      ["flock", true],
      ["a folder as the lock, because flock does not work", false],
    ])(
      "a second undo waits for the first, and then has nothing left to do: %s",
      { timeout: 20_000 },
      async (_, has) => {
        const host = new UndoRoot(shell, top);
        if (!has) host.program("flock", "exit 1");
        host.arm();
        host.write("etc/network/interfaces", "new\n");
        host.program("sync", `echo sync >>${host.root}/syncs; sleep 1`);
        expect(await Promise.all([host.start(), host.start()])).toEqual([0, 0]);
        expect(host.end("").code).toBe(undoAnswers.reverted);
        // Each undo calls sync twice.
        expect(host.text("syncs")).toBe("sync\nsync\n");
      },
    );

    test("an undo that was killed continues at the next boot", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "new\n");
      host.program("sync", "kill -9 $PPID");
      expect(host.revert().code).toBeNull();
      expect(host.end("").code).toBe(undoAnswers.pending);
      host.program("sync", ":");
      expect(host.revert().code).toBe(0);
      expect(host.end("").code).toBe(undoAnswers.reverted);
    });

    test("files that could not be restored stay on the host, even when an undo is armed again", () => {
      const host = new UndoRoot(shell, top);
      host.arm();
      host.write("etc/network/interfaces", "new\n");
      host.program("tar", "echo no room >&2; exit 2");
      expect(host.revert().code).toBe(0);
      const saved = (): string[] =>
        readdirSync(dirname(host.folder)).filter((name) => /^network-not-restored-\d+\.tar$/.test(name));
      expect(saved()).toHaveLength(1);
      const place = join(dirname(host.folder), saved()[0] ?? "");
      expect(host.end("")).toEqual({
        code: undoAnswers.notRestored,
        says: `not all files could be restored: they are in ${place}\n`,
      });
      expect(host.text("var/lib/furrow/undo/network/reverted/log")).toContain("no room");
      rmSync(join(host.bin, "tar"));
      expect(host.arm().code).toBe(0);
      expect(spawnSync("tar", ["-tf", place], { encoding: "utf8" }).stdout).toContain("etc/network/interfaces\n");
    });
  });
}
