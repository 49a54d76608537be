import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { armPlay, revertedEarlier, type Ways } from "../host/play-undo.ts";
import { endStep, stepsToken, undoAnswers } from "../host/undo.ts";
import type { RunStep } from "../host/step.ts";
import { undo } from "./sent/undo.ts";

const shells = [["dash"], ["bash", "--norc"], ["busybox", "sh"], ["ksh"], ["mksh"]].filter(([shell = ""]) =>
  ["/usr/bin", "/bin"].some((folder) => existsSync(`${folder}/${shell}`)),
);
const top = mkdtempSync(join(tmpdir(), "furrow-play-undo-"));
afterAll(() => rmSync(top, { recursive: true }));

/** A folder in place of a host's root, with stand-ins for the programs of systemd, iproute2 and nftables. */
class PlayRoot {
  readonly root = mkdtempSync(join(top, "root-"));
  readonly #shell: readonly string[];

  constructor(shell: readonly string[]) {
    this.#shell = shell;
    for (const path of ["run/systemd/system", "etc/ssh", "sys/class/net", "var/lib", "proc/sys/net/ipv4"])
      mkdirSync(join(this.root, path), { recursive: true });
    this.write("proc/sys/kernel/random/boot_id", "boot-1\n");
    this.write("proc/sys/net/ipv4/ip_forward", "0\n");
    this.write("etc/ssh/a", "old a\n");
    this.write("etc/ssh/b", "old b\n");
    this.program("ip", ":");
    this.program("sync", ":");
    this.program("systemd-run", `echo "systemd-run $*" >>${this.root}/said`);
    this.program("nft", `case $1 in list) echo "table inet t { old }";; *) cat >>${this.root}/loaded;; esac`);
    // The units are ssh.service, which sshd.service is another name of, and stopped.service.
    this.program(
      "systemctl",
      `there= fw=${this.root}/etc/systemd/system/fw.service
case $* in *fw.service) [ ! -e $fw ] || there=" with its file" ;; esac
echo "systemctl $*$there" >>${this.root}/said
[ "$1" = show ] || exit 0
case "$5" in ssh.service | sshd.service) id=ssh.service active=active on=enabled load=loaded ;;
stopped.service) id=$5 active=inactive on=disabled load=loaded ;;
fw.service) id=$5 active=inactive on= load=not-found; [ -z "$there" ] || active=active load=loaded ;;
late.service) id=$5 active=inactive on= load=not-found; [ ! -e ${this.root}/changed ] || id=ssh.service load=loaded ;;
*) id=$5 active=inactive on= load=not-found ;; esac
[ ! -e ${this.root}/changed ] || on=disabled
case $3 in Id) echo "Id=$id" ;; LoadState) echo "LoadState=$load" ;; ActiveState) echo "ActiveState=$active" ;;
*) echo "UnitFileState=$on" ;; esac`,
    );
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  program(name: string, body: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\n${body}\n`);
    chmodSync(join(this.root, "bin", name), 0o755);
  }

  text(path: string): string {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), "utf8") : "(absent)";
  }

  /** What systemctl was asked to change, since the last call. */
  verbs(): string[] {
    const said = this.text("said").split("\n");
    rmSync(join(this.root, "said"), { force: true });
    return said
      .filter(
        (line) => line.startsWith("systemctl ") && !/ (show|list-units|stop furrow|stop .*furrow-undo)/.test(line),
      )
      .map((line) => line.replace("systemctl ", ""));
  }

  arm(label: string, ways: Partial<Ways>): { code: number | null; says: string } {
    const none = { paths: [], isNetwork: false, units: [], sysctls: [], tables: [], commands: [] };
    const given = { ...none, ...ways, paths: (ways.paths ?? []).map((path) => join(this.root, path)) };
    return this.#step(armPlay(label, given, 20));
  }

  end(holdSeconds?: number): { code: number | null; says: string } {
    return this.#step(endStep("play", stepsToken, holdSeconds));
  }

  revert(): { code: number | null; says: string } {
    return this.#run(["-c", this.#here(undo), "sh", "play"], {});
  }

  #step({ argv, env }: RunStep): { code: number | null; says: string } {
    const inside = Object.fromEntries(Object.entries(env ?? {}).map(([name, text]) => [name, this.#here(text)]));
    return this.#run(
      argv.slice(1).map((word) => this.#here(word)),
      inside,
    );
  }

  #run(words: readonly string[], env: object): { code: number | null; says: string } {
    const [program = "", ...first] = this.#shell;
    const { status, stdout, stderr } = spawnSync(program, [...first, ...words], {
      encoding: "utf8",
      env: { PATH: `${this.root}/bin:/usr/bin:/bin`, ...env },
    });
    return { code: status, says: `${stdout}${stderr}` };
  }

  #here(script: string): string {
    return script
      .replaceAll(/(?<![\w$/}-])\/(var\/lib\/furrow|etc\/systemd|run\/|proc\/|sys\/)/g, `${this.root}/$1`)
      .replaceAll("PATH=/usr", `PATH=${this.root}/bin:/usr`);
  }
}

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  test("a second task adds what it changes to what the first one saved, and a revert restores both", () => {
    const host = new PlayRoot(shell);
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

  test("a task that saves no file arms too", () => {
    const host = new PlayRoot(shell);
    expect(host.arm("restart", { units: ["ssh.service"] })).toEqual({ code: 0, says: "" });
    expect(host.revert().code).toBe(0);
    expect(host.end().code).toBe(undoAnswers.reverted);
  });

  test("units, parameters and tables are as they were: once for each name, and not those that do not exist", () => {
    const host = new PlayRoot(shell);
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

  test("a unit that the play created is stopped and disabled while its file is there", () => {
    const host = new PlayRoot(shell);
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

  test("a unit that was not there, and became another name of one that ran, is left alone", () => {
    const host = new PlayRoot(shell);
    host.arm("late", { units: ["late.service", "ssh.service"] });
    host.write("changed", "");
    host.verbs();
    host.revert();
    expect(host.verbs().filter((verb) => verb.startsWith("stop") || verb.includes("disable"))).toEqual([]);
  });

  test("addresses and routes are restored only if the network is armed, with what was there at that time", () => {
    const host = new PlayRoot(shell);
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

  test("a boot restores the files, and waits for no unit", () => {
    const host = new PlayRoot(shell);
    host.arm("one", { paths: ["etc/ssh/a"], units: ["ssh.service"], commands: [`echo x >>${host.root}/ran`] });
    host.write("etc/ssh/a", "new a\n");
    host.write("proc/sys/kernel/random/boot_id", "boot-2\n");
    host.verbs();
    expect(host.revert().code).toBe(0);
    expect(host.text("etc/ssh/a")).toBe("old a\n");
    expect(host.verbs()).toContain("--no-block start -- ssh.service");
    expect(host.text("ran")).toBe("(absent)");
  });

  test("holding keeps it armed with another timer, and confirming leaves nothing", () => {
    const host = new PlayRoot(shell);
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

  test("what nobody was told is told once by the next arming, which arms nothing", () => {
    const host = new PlayRoot(shell);
    host.arm("task one", { paths: ["etc/ssh/a"] });
    host.arm("task two", { paths: ["etc/ssh/b"] });
    host.revert();
    const { code, says } = host.arm("task one", { paths: ["etc/ssh/a"] });
    expect(code).toBe(revertedEarlier);
    expect(says).toMatch(/^on .+, the host reverted what an earlier run did not confirm: task one; task two *\n$/);
    expect(existsSync(join(host.root, "var/lib/furrow/undo/play/armed"))).toBe(false);
    expect(host.arm("task one", { paths: ["etc/ssh/a"] }).code).toBe(0);
  });

  test("a revert that a run was told is not told again", () => {
    const host = new PlayRoot(shell);
    host.arm("one", { paths: ["etc/ssh/a"] });
    host.revert();
    expect(host.end().code).toBe(undoAnswers.reverted);
    expect(host.arm("one", { paths: ["etc/ssh/a"] }).code).toBe(0);
  });
});
