import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { armPlay, askPlay, type Ways } from "../../src/core/host/play-undo.ts";
import type { RunStep } from "../../src/core/host/step.ts";
import { endStep, stepsToken } from "../../src/core/host/undo.ts";
import { undo } from "../../src/core/on-host/sent/undo.ts";

/** A folder that replaces a host's root, with stand-ins for the programs of systemd, iproute2 and nftables. */
export class PlayRoot {
  readonly root: string;
  readonly #shell: readonly string[];
  #path = ":/usr/bin:/bin";

  /** `top`: the folder in which the root is created. */
  constructor(shell: readonly string[], top: string) {
    this.root = mkdtempSync(join(top, "root-"));
    this.#shell = shell;
    for (const path of ["run/systemd/system", "etc/ssh", "sys/class/net", "var/lib", "proc/sys/net/ipv4"])
      mkdirSync(join(this.root, path), { recursive: true });
    this.write("proc/sys/kernel/random/boot_id", "boot-1\n");
    this.write("proc/sys/net/ipv4/ip_forward", "0\n");
    this.write("proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/vda1 rw\n");
    this.write("etc/ssh/a", "old a\n");
    this.write("etc/ssh/b", "old b\n");
    this.program("ip", ":");
    this.program("id", "echo 0");
    this.program("sync", ":");
    this.program("systemd-run", `echo "systemd-run $*" >>${this.root}/said`);
    this.program("nft", `case $1 in list) echo "table inet t { old }";; *) cat >>${this.root}/loaded;; esac`);
    // While the file "early" exists, the boot has not started any unit yet. The units are ssh.service, with the alias
    // sshd.service, and stopped.service.
    this.program(
      "systemctl",
      `there= fw=${this.root}/etc/systemd/system/fw.service
case $* in *fw.service) [ ! -e $fw ] || there=" with its file" ;; esac
echo "systemctl $*$there" >>${this.root}/said
[ "$2" != is-active ] || [ ! -e ${this.root}/early ] || exit 3
[ "$1" = show ] || exit 0
case "$5" in ssh.service | sshd.service) id=ssh.service active=active on=enabled load=loaded ;;
live.socket | live.service) id=$5 active=active on=enabled load=loaded ;;
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

  /** Leaves only these programs on the host. */
  withPrograms(names: readonly string[]): this {
    for (const name of names)
      if (!existsSync(join(this.root, "bin", name))) this.program(name, `exec /usr/bin/${name} "$@"`);
    this.#path = "";
    return this;
  }

  /** Makes the session run as a user other than root. */
  asOther(): this {
    this.program("id", "echo 1000");
    return this;
  }

  text(path: string): string {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), "utf8") : "(absent)";
  }

  /** The changes that systemctl was asked to make since the last call. */
  verbs(): string[] {
    const said = this.text("said").split("\n");
    rmSync(join(this.root, "said"), { force: true });
    return said
      .filter(
        (line) =>
          line.startsWith("systemctl ") &&
          !/ (show|list-units|--quiet is-active|stop furrow|stop .*furrow-undo)/.test(line),
      )
      .map((line) => line.replace("systemctl ", ""));
  }

  arm(label: string, ways: Partial<Ways>): { code: number | null; says: string } {
    const none = { paths: [], folders: [], isNetwork: false, units: [], sysctls: [], tables: [], commands: [] };
    const here = (paths: readonly string[] = []): string[] => paths.map((path) => join(this.root, path));
    const given = { ...none, ...ways, paths: here(ways.paths), folders: here(ways.folders) };
    return this.#step(armPlay(label, given, 20));
  }

  ask(paths: readonly string[]): { code: number | null; says: string } {
    const none = { folders: [], isNetwork: false, units: [], sysctls: [], tables: [], commands: [] };
    return this.#step(askPlay("ask", { ...none, paths: paths.map((path) => join(this.root, path)) }));
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
    const found = ["/usr/bin", "/bin"].map((folder) => `${folder}/${program}`).find((one) => existsSync(one));
    const { status, stdout, stderr } = spawnSync(found ?? program, [...first, ...words], {
      encoding: "utf8",
      env: { PATH: `${this.root}/bin${this.#path}`, ...env },
    });
    return { code: status, says: `${stdout}${stderr}` };
  }

  #here(script: string): string {
    return script
      .replaceAll(
        /(?<![\w$/}-])\/(var\/lib\/furrow|usr\/local\/furrow|etc\/systemd|run\/|proc\/|sys\/)/g,
        `${this.root}/$1`,
      )
      .replaceAll("PATH=/usr", `PATH=${this.root}/bin:/usr`);
  }
}
