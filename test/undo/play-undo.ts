import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PlayRoot } from "../contract/play-root.ts";
import { armRefused, revertedEarlier } from "../../src/core/host/play-undo.ts";
import { undoAnswers } from "../../src/core/host/undo.ts";

/** Tests, in each of these shells, how a host reverts a play's changes if nobody confirms them. */
export function playUndoTests(shells: readonly (readonly string[])[]): void {
  const top = mkdtempSync(join(tmpdir(), "furrow-play-undo-"));
  afterAll(() => rmSync(top, { recursive: true }));

  describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
    test("a second task adds the files that it changes to those that the first task saved, and a revert restores all of them", () => {
      const host = new PlayRoot(shell, top);
      expect(host.arm("one", { paths: ["etc/ssh/a", "etc/ssh/new"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/a", "new a\n");
      host.write("etc/ssh/new", "new\n");
      expect(host.arm("two", { paths: ["etc/ssh/a", "etc/ssh/b"] })).toEqual({ code: 0, says: "" });
      host.write("etc/ssh/a", "newer a\n");
      host.write("etc/ssh/b", "new b\n");
      expect(host.revert().code).toBe(0);
      expect([host.text("etc/ssh/a"), host.text("etc/ssh/b"), host.text("etc/ssh/new")]).toEqual([
        "old a\n",
        "old b\n",
        "(absent)",
      ]);
      expect(host.end().code).toBe(undoAnswers.reverted);
    });

    test("a task that saves no files also arms the undo", () => {
      const host = new PlayRoot(shell, top);
      expect(host.arm("restart", { units: ["ssh.service"] })).toEqual({ code: 0, says: "" });
      expect(host.revert().code).toBe(0);
      expect(host.end().code).toBe(undoAnswers.reverted);
    });

    test("units, kernel parameters and tables are restored once each, and missing units are left out", () => {
      const host = new PlayRoot(shell, top);
      const units = ["sshd.service", "ssh.service", "ssh.socket", "stopped.service"];
      const ways = {
        units,
        sysctls: ["net/ipv4/ip_forward"],
        tables: ["inet t"],
        commands: [`echo x >>${host.root}/ran`],
      };
      expect(host.arm("one", ways)).toEqual({ code: 0, says: "" });
      host.write("proc/sys/net/ipv4/ip_forward", "1\n");
      host.write("changed", "");
      expect(host.arm("one", ways)).toEqual({ code: 0, says: "" });
      host.verbs();
      expect(host.revert().code).toBe(0);
      expect(host.verbs().filter((verb) => !verb.startsWith("reset-failed"))).toEqual([
        "stop -- stopped.service",
        "daemon-reload",
        "--quiet unmask -- ssh.service",
        "--quiet enable -- ssh.service",
        "restart -- ssh.service",
        "stop -- stopped.service",
      ]);
      expect(host.text("proc/sys/net/ipv4/ip_forward")).toBe("0\n");
      expect(host.text("loaded")).toBe("add table inet t\ndelete table inet t\ntable inet t { old }\n");
      expect(host.text("ran")).toBe("x\n");
    });

    test("a unit that the play created is stopped and disabled before its file is removed", () => {
      const host = new PlayRoot(shell, top);
      const ways = { paths: ["etc/systemd/system/fw.service"], units: ["fw.service"] };
      expect(host.arm("fw", ways)).toEqual({ code: 0, says: "" });
      host.write("etc/systemd/system/fw.service", "[Service]\n");
      host.verbs();
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/systemd/system/fw.service")).toBe("(absent)");
      expect(host.verbs()).toEqual([
        "--quiet disable -- fw.service with its file",
        "stop -- fw.service with its file",
        "daemon-reload",
      ]);
    });

    test("a unit that did not exist, and became an alias of a running unit, is left alone", () => {
      const host = new PlayRoot(shell, top);
      host.arm("late", { units: ["late.service", "ssh.service"] });
      host.write("changed", "");
      host.verbs();
      host.revert();
      expect(host.verbs().filter((verb) => verb.startsWith("stop") || verb.includes("disable"))).toEqual([]);
    });

    test("addresses and routes are restored only if a task armed the network, as they were before the first such task", () => {
      const host = new PlayRoot(shell, top);
      const ip = (address: string): void =>
        host.program(
          "ip",
          `echo "ip $*" >>${host.root}/asked; case "$*" in "-o addr show scope global") echo "1: lo inet ${address} x" ;; esac`,
        );
      ip("10.0.0.1/32");
      host.arm("one", { paths: ["etc/ssh/a"] });
      host.revert();
      expect(host.text("asked")).toBe("(absent)");
      expect(host.end().code).toBe(undoAnswers.reverted);

      host.arm("one", { paths: ["etc/ssh/a"] });
      ip("10.0.0.2/32");
      host.arm("two", { isNetwork: true });
      ip("10.0.0.3/32");
      host.arm("three", { isNetwork: true });
      host.program("sleep", ":");
      host.revert();
      expect(host.text("asked").match(/addr add \S+/g)).toEqual(["addr add 10.0.0.2/32"]);
    });

    test("a revert at boot restores the files, and waits for no unit", () => {
      const host = new PlayRoot(shell, top);
      host.arm("one", { paths: ["etc/ssh/a"], units: ["ssh.service"], commands: [`echo x >>${host.root}/ran`] });
      host.write("etc/ssh/a", "new a\n");
      host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
      host.write("early", "");
      host.verbs();
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/ssh/a")).toBe("old a\n");
      expect(host.verbs()).toContain("--no-block start -- ssh.service");
      expect(host.text("ran")).toBe("(absent)");
    });

    test("a hold keeps the undo armed with a new timer, and a confirmation removes everything", () => {
      const host = new PlayRoot(shell, top);
      host.arm("one", { paths: ["etc/ssh/a"] });
      host.write("etc/ssh/a", "new a\n");
      expect(host.end(14_400).code).toBe(undoAnswers.confirmed);
      expect(host.text("said")).toContain("--on-active=14400");
      expect(existsSync(join(host.root, "var/lib/furrow/undo/play/armed/ready"))).toBe(true);
      expect(host.end().code).toBe(undoAnswers.confirmed);
      expect(existsSync(join(host.root, "var/lib/furrow/undo/play"))).toBe(false);
      expect(host.text("etc/ssh/a")).toBe("new a\n");
      expect(host.end().code).toBe(undoAnswers.unknown);
    });

    test("if no run has reported a revert, the next `arm` reports it once, and arms nothing", () => {
      const host = new PlayRoot(shell, top);
      host.arm("task one", { paths: ["etc/ssh/a"] });
      host.arm("task two", { paths: ["etc/ssh/b"] });
      host.revert();
      const { code, says } = host.arm("task one", { paths: ["etc/ssh/a"] });
      expect(code).toBe(revertedEarlier);
      expect(says).toMatch(/^on .+, the host reverted what an earlier run did not confirm: task one; task two *\n$/);
      expect(existsSync(join(host.root, "var/lib/furrow/undo/play/armed"))).toBe(false);
      expect(host.arm("task one", { paths: ["etc/ssh/a"] }).code).toBe(0);
    });

    test("`ask` gives the same answer as `arm`, and changes nothing", () => {
      const host = new PlayRoot(shell, top);
      expect(host.ask(["etc/ssh/a"])).toEqual({ code: 0, says: "" });
      expect(existsSync(join(host.root, "var/lib/furrow"))).toBe(false);
      symlinkSync(join(host.root, "etc/ssh"), join(host.root, "etc/link"));
      const refusals: (() => object)[] = [
        () => host.ask(["etc/link"]),
        () => host.arm("link", { paths: ["etc/link"] }),
        () => host.asOther().ask(["etc/ssh/a"]),
        () => host.arm("user", { paths: ["etc/ssh/a"] }),
      ];
      for (const refusal of refusals) expect(refusal()).toMatchObject({ code: armRefused });
      host.program("id", "echo 0");
      host.arm("one", { paths: ["etc/ssh/a"] });
      host.revert();
      const [first, second] = [host.ask(["etc/ssh/a"]), host.ask(["etc/ssh/a"])];
      expect(first.code).toBe(revertedEarlier);
      expect(second).toEqual(first);
      expect(host.arm("one", { paths: ["etc/ssh/a"] })).toEqual(first);
    });

    test("`ask` and `arm` refuse a host without tar, before anything is saved", () => {
      const host = new PlayRoot(shell, top);
      const refused = { code: armRefused, says: "the host has no tar, which it needs to revert the change\n" };
      const only = host.withPrograms(["find", "grep", "sed", "sort", "tail", "mktemp", "id", "printf", "systemd-run"]);
      expect(only.ask(["etc/ssh/a"])).toEqual(refused);
      expect(only.arm("one", { paths: ["etc/ssh/a"] })).toEqual(refused);
      expect(existsSync(join(host.root, "var/lib/furrow"))).toBe(false);
    });

    test("folders that the play removed are restored with their modes, even empty ones", () => {
      const host = new PlayRoot(shell, top);
      host.write("etc/deep/er/file", "old\n");
      mkdirSync(join(host.root, "etc/deep/empty"));
      const modes = { "etc/deep": 0o750, "etc/deep/er": 0o711, "etc/deep/empty": 0o1770 };
      for (const [path, mode] of Object.entries(modes)) chmodSync(join(host.root, path), mode);
      expect(host.arm("one", { paths: ["etc/deep", "etc/deep/er/new"] })).toEqual({ code: 0, says: "" });
      rmSync(join(host.root, "etc/deep"), { recursive: true });
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/deep/er/file")).toBe("old\n");
      for (const [path, mode] of Object.entries(modes))
        expect([path, statSync(join(host.root, path)).mode & 0o7777]).toEqual([path, mode]);
      expect(readdirSync(join(host.root, "etc"))).not.toContainEqual(expect.stringContaining("furrow-undo"));
      expect(readdirSync(join(host.root, "etc/deep"))).toEqual(["empty", "er"]);
      expect(host.end().code).toBe(undoAnswers.reverted);
    });

    test("a socket is restarted while its service is stopped, because systemd would refuse to start it otherwise", () => {
      const host = new PlayRoot(shell, top);
      host.arm("one", { units: ["live.socket", "live.service"] });
      host.verbs();
      host.revert();
      expect(host.verbs().filter((verb) => !verb.startsWith("reset-failed"))).toEqual([
        "daemon-reload",
        "stop -- live.service",
        "restart -- live.socket",
        "start -- live.service",
        "restart -- live.service",
      ]);
    });

    test("if tar cannot store ACLs, `ask` and `arm` name the files that would lose ACLs or attributes", () => {
      const host = new PlayRoot(shell, top);
      host.program("tar", `case "$*" in *--acls*) exit 64 ;; esac; exec /usr/bin/tar "$@"`);
      host.program(
        "ls",
        `printf '%s\\n' "-rw-rw-r--+ 1 root root 6 Nov 29 12:00 /etc/ssh/a" "-rw-r--r-- 1 root root 6 Nov 29 12:00 /etc/ssh/b"`,
      );
      host.program("getfattr", `printf '# file: %s\\nuser.x\\n' etc/ssh/b`);
      const lost = { code: 0, says: "ACL of /etc/ssh/a\nattributes of /etc/ssh/b\n" };
      expect(host.ask(["etc/ssh"])).toEqual(lost);
      expect(host.arm("one", { paths: ["etc/ssh"] })).toEqual(lost);
      host.write("etc/ssh/a", "new a\n");
      host.revert();
      expect(host.text("etc/ssh/a")).toBe("old a\n");
    });

    test("files are restored even if their attributes cannot be read or set", () => {
      const host = new PlayRoot(shell, top);
      for (const verb of ["-xpf", "-cf part"]) {
        host.program("tar", `case "$*" in *--acls*"${verb}"*) exit 2 ;; esac; exec /usr/bin/tar "$@"`);
        expect(host.arm("one", { paths: ["etc/ssh/a"] })).toEqual({ code: 0, says: "" });
        host.write("etc/ssh/a", "new a\n");
        host.revert();
        expect(host.text("etc/ssh/a")).toBe("old a\n");
        expect(host.end().code).toBe(undoAnswers.reverted);
      }
    });

    test("a revert that a run has reported is not reported again", () => {
      const host = new PlayRoot(shell, top);
      host.arm("one", { paths: ["etc/ssh/a"] });
      host.revert();
      expect(host.end().code).toBe(undoAnswers.reverted);
      expect(host.arm("one", { paths: ["etc/ssh/a"] }).code).toBe(0);
    });
  });
}
