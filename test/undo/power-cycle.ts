import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PlayRoot } from "../contract/play-root.ts";
import { UndoRoot } from "../contract/undo-root.ts";
import { undoAnswers } from "../../src/core/host/undo.ts";

/** Tests, in each of these shells, that a host reverts an unconfirmed change at boot and after a power cycle. */
export function powerCycleTests(shells: readonly (readonly string[])[]): void {
  const top = mkdtempSync(join(tmpdir(), "furrow-power-cycle-"));
  afterAll(() => rmSync(top, { recursive: true }));

  describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
    test("a host whose /etc is on a disk and whose /var/lib is in memory refuses, because a power cycle would lose only the undo", () => {
      const host = new UndoRoot(shell, top);
      mkdirSync(join(host.root, "run/upper"), { recursive: true });
      const etc = "/etc ext4 /dev/vda2 rw";
      const overlay = `/var overlay overlay rw,lowerdir=/a,upperdir=${host.root}/run/upper,workdir=/b`;
      for (const mounts of [
        ["/ tmpfs tmpfs rw", etc],
        ["/ ext4 /dev/vda1 ro", "/run tmpfs tmpfs rw", overlay, etc],
      ]) {
        host.mounts(...mounts);
        expect(host.arm()).toEqual({
          code: 81,
          says: `a power cycle would keep the change but lose its undo: ${host.network} is on a disk, but ${host.folder} is in memory, or the host does not say where it is\n`,
        });
        expect(existsSync(host.folder)).toBe(false);
      }
      host.write("proc/self/mountinfo", "");
      expect(host.arm()).toMatchObject({ code: 81 });
    });

    test("a host that keeps /usr/local, but not /var/lib, also reverts after a power cycle", () => {
      const host = new UndoRoot(shell, top);
      mkdirSync(join(host.root, "usr/local"), { recursive: true });
      host.mounts(
        "/ ext4 /dev/vda1 ro",
        "/var tmpfs tmpfs rw",
        "/usr/local ext4 /dev/vda5 rw",
        "/etc ext4 /dev/vda5 rw",
      );
      expect(host.arm()).toEqual({ code: 0, says: "" });
      host.write("etc/network/interfaces", "new\n");
      expect(existsSync(join(host.folder, "armed/ready"))).toBe(true);
      expect(host.arm()).toEqual({ code: 0, says: "" });
      expect(readFileSync(host.unit, "utf8")).toContain(
        `ExecStart=/bin/sh ${host.root}/usr/local/furrow/undo/network/undo network`,
      );
      rmSync(join(host.root, "var/lib/furrow"), { recursive: true });
      host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
      expect(host.revert().code).toBe(0);
      expect(host.text("etc/network/interfaces")).toBe("old\n");
      expect(host.end("").code).toBe(undoAnswers.reverted);
      expect(host.arm()).toEqual({ code: 0, says: "" });
    });

    test("a host refuses if it cannot know whether an overlay is only in memory, but not in a container", () => {
      const host = new UndoRoot(shell, top);
      host.mounts("/ ext4 /dev/vda1 rw", "/var overlay overlay rw,upperdir=/nowhere/upper");
      host.program("systemd-detect-virt", "exit 1");
      expect(host.arm()).toMatchObject({ code: 81 });
      host.program("systemd-detect-virt", '[ "$1" = -cq ]');
      expect(host.arm()).toEqual({ code: 0, says: "" });
    });

    test("a host that is only in memory arms the undo, and so does one whose overlay is on a disk", () => {
      const host = new UndoRoot(shell, top);
      host.mounts("/ tmpfs tmpfs rw");
      expect(host.arm()).toEqual({ code: 0, says: "" });
      mkdirSync(join(host.root, "disk/upper"), { recursive: true });
      host.mounts("/ ext4 /dev/vda1 rw", `/var overlay overlay rw,upperdir=${host.root}/disk/upper,lowerdir=/a`);
      expect(host.arm()).toEqual({ code: 0, says: "" });
    });

    test("a revert at boot also undoes what the boot has already loaded from the unconfirmed files", () => {
      const host = new PlayRoot(shell, top);
      host.program(
        "nft",
        `case "$*" in "list table inet t") echo "table inet t { old }";; list*) exit 1;; *) cat >>${host.root}/loaded;; esac`,
      );
      host.arm("one", { units: ["ssh.service"], sysctls: ["net/ipv4/ip_forward"], tables: ["inet t", "inet later"] });
      host.write("proc/sys/net/ipv4/ip_forward", "1\n");
      host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
      host.verbs();
      expect(host.revert().code).toBe(0);
      expect(host.verbs()).toContain("--no-block restart -- ssh.service");
      expect(host.text("proc/sys/net/ipv4/ip_forward")).toBe("0\n");
      expect(host.text("loaded")).toBe("add table inet t\ndelete table inet t\ntable inet t { old }\n");
    });

    test("a revert at boot comes before the services that load the restored files", () => {
      const host = new PlayRoot(shell, top);
      host.arm("one", { paths: ["etc/ssh/a"] });
      const unit = host.text("etc/systemd/system/furrow-undo-play-boot.service");
      const before = [...unit.matchAll(/^Before=(.*)$/gm)].flatMap(([, names = ""]) => names.split(" "));
      for (const name of ["systemd-sysctl", "nftables", "iptables", "ip6tables", "firewalld", "sssd"])
        expect(before).toContain(`${name}.service`);
    });
  });
}
