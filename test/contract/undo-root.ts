import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { undoArm } from "../../src/core/on-host/sent/undo-arm.ts";
import { undoBegin } from "../../src/core/on-host/sent/undo-begin.ts";
import { undoEnd } from "../../src/core/on-host/sent/undo-end.ts";
import { undo } from "../../src/core/on-host/sent/undo.ts";

/** A folder that replaces a host's root, with stand-ins for the programs of systemd and iproute2. */
export class UndoRoot {
  readonly root: string;
  readonly bin: string;
  readonly network: string;
  readonly folder: string;
  readonly unit: string;
  readonly link: string;
  readonly shell: readonly string[];

  /** `top`: the folder in which the root is created. */
  constructor(shell: readonly string[], top: string) {
    this.shell = shell;
    this.root = mkdtempSync(join(top, "root-"));
    this.bin = join(this.root, "bin");
    this.network = join(this.root, "etc/network");
    this.folder = join(this.root, "var/lib/furrow/undo/network");
    this.unit = join(this.root, "etc/systemd/system/furrow-undo-network-boot.service");
    this.link = join(this.root, "etc/systemd/system/sysinit.target.wants/furrow-undo-network-boot.service");
    for (const path of ["run/systemd/system", "run/network", "etc/network/interfaces.d", "sys/class/net", "var/lib"])
      mkdirSync(join(this.root, path), { recursive: true });
    this.write("proc/sys/kernel/random/boot_id", "boot-1\n");
    this.mounts("/ ext4 /dev/vda1 rw");
    this.write("etc/network/interfaces", "old\n");
    this.program("ip", ":");
    this.program("sync", ":");
    this.program("systemctl", `echo "systemctl $*" >>${this.root}/said`);
    // Records which units are enabled when the timer starts.
    this.program(
      "systemd-run",
      `echo "systemd-run $*" >>${this.root}/said; ls ${dirname(this.link)} >>${this.root}/seen 2>&1; :`,
    );
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** The mounts of the host, each as `POINT TYPE SOURCE OPTIONS`; the mount points are placed below this root. */
  mounts(...mounts: readonly string[]): void {
    const lines = mounts.map((mount, at) => {
      const [point = "", ...rest] = mount.split(" ");
      return `${at + 20} 1 8:1 / ${point === "/" ? "/" : join(this.root, point)} rw,relatime - ${rest.join(" ")}\n`;
    });
    this.write("proc/self/mountinfo", lines.join(""));
  }

  program(name: string, body: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\n${body}\n`);
    chmodSync(join(this.bin, name), 0o755);
  }

  text(path: string): string {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), "utf8") : "(absent)";
  }

  arm(paths = this.network): { code: number | null; says: string } {
    const env = {
      UNDO_PATHS: paths,
      UNDO_NETWORK: "yes",
      UNDO_LINKS: "",
      UNDO_SCRIPT: this.#here(undo),
      UNDO_APPLY: ":",
      UNDO_CHECK: "true",
      UNDO_LIVE: "echo live",
      UNDO_BOOT: "echo boot",
    };
    return this.#run(undoArm, ["network", "600"], env);
  }

  revert(): { code: number | null; says: string } {
    return this.#run(undo, ["network"]);
  }

  /** Begins the change, after the steps that prepare it. */
  begin(): { code: number | null; says: string } {
    return this.#run(undoBegin, ["network", "60"]);
  }

  end(token: string): { code: number | null; says: string } {
    return this.#run(undoEnd, ["network", token]);
  }

  /** Starts a revert without waiting for it. */
  start(): Promise<number | null> {
    const [program = "", ...args] = this.#argv(undo, ["network"]);
    return new Promise((resolve) => {
      spawn(program, args, { env: this.#env({}), stdio: "ignore" }).on("close", resolve);
    });
  }

  #run(script: string, args: readonly string[], env: object = {}): { code: number | null; says: string } {
    const [program = "", ...rest] = this.#argv(script, args);
    const { status, stdout, stderr } = spawnSync(program, rest, { encoding: "utf8", env: this.#env(env) });
    return { code: status, says: `${stdout}${stderr}` };
  }

  #argv(script: string, args: readonly string[]): string[] {
    return [...this.shell, "-c", this.#here(script), "sh", ...args];
  }

  #here(script: string): string {
    return script
      .replaceAll(
        /(?<![\w$/}])\/(var\/lib\/furrow|usr\/local\/furrow|etc\/systemd|run\/|proc\/|sys\/)/g,
        `${this.root}/$1`,
      )
      .replaceAll("PATH=/usr", `PATH=${this.bin}:/usr`);
  }

  #env(env: object): NodeJS.ProcessEnv {
    return { PATH: `${this.bin}:/usr/bin:/bin`, ...env };
  }
}
