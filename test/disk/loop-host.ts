import { execFileSync, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type TaskHost, taskHost } from "../tasks/on-host.ts";

/** A disk for tests: a sparse file behind a loop device, with a serial number that only its host sees. */
export interface LoopDisk {
  /** `/dev/loopN`. */
  readonly path: string;
  readonly file: string;
  readonly serial: string;
}

/** This machine with separate mounts, /etc and /run: disks are really mounted, but leave nothing behind. */
export interface LoopHost extends TaskHost {
  readonly folder: string;
  /** A program and its arguments; with `sh` appended, they start a shell inside the host. */
  readonly enter: readonly string[];
  disk(mebibytes: number, options?: { readonly serial?: string; readonly sectorBytes?: number }): LoopDisk;
  /** Removes the mounts as a reboot would; /etc and the disks remain. */
  reboot(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a host. The caller must close the host, or its loop devices remain. */
export async function loopHost(): Promise<LoopHost> {
  // The disks are kept in memory, because the tests check the order of writes, not how fast this machine syncs.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "furrow-disk-"));
  cpSync("/etc", join(folder, "etc"), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  // Hosts in parallel tests must derive different ids, as real hosts do.
  writeFileSync(join(folder, "etc/machine-id"), `${randomUUID().replaceAll("-", "")}\n`);
  writeFileSync(join(folder, "etc/fstab"), "# made at installation\nproc /proc proc defaults 0 0\n");
  mkdirSync(join(folder, "mnt"));
  const disks: LoopDisk[] = [];
  const cleaner = startCleaner(folder);
  let leader = await startNamespace(folder);
  const enter = (): string[] => ["nsenter", `--target=${leader.pid}`, "--mount"];
  const current = (): TaskHost => taskHost([...enter(), "sh"]);
  return {
    folder,
    get enter() {
      return enter();
    },
    apply: (...nodes) => current().apply(...nodes),
    check: (...nodes) => current().check(...nodes),
    sh: (script) => current().sh(script),
    disk(mebibytes, { serial = `loop-${disks.length + 1}`, sectorBytes = 512 } = {}) {
      const file = join(folder, `disk-${disks.length + 1}.img`);
      writeFileSync(file, "");
      truncateSync(file, mebibytes * 1024 * 1024);
      const path = run(["losetup", "--find", "--show", `--sector-size=${sectorBytes}`, file]).trim();
      const disk = { path, file, serial };
      disks.push(disk);
      nameDisk(enter(), disk);
      return disk;
    },
    async reboot() {
      await leader.end();
      await untilFree(disks);
      leader = await startNamespace(folder);
      for (const disk of disks) nameDisk(enter(), disk);
    },
    async close() {
      await leader.end();
      await cleaner.end();
    },
  };
}

/** SHA-256 of all bytes of a disk. */
export async function hashOf(disk: LoopDisk): Promise<string> {
  run(["blockdev", "--flushbufs", disk.path]);
  const hash = createHash("sha256");
  for await (const part of createReadStream(disk.path, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
  return hash.digest("hex");
}

/** Runs a program on this machine. Returns its stdout. Throws if it fails. */
export function run([program = "", ...words]: readonly string[], input?: string): string {
  return execFileSync(program, words, {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    ...(input !== undefined && { input }),
  });
}

/** Waits, because the kernel removes the mounts of a namespace some time after its last process has ended. */
async function untilFree(disks: readonly LoopDisk[]): Promise<void> {
  const nodes = disks.flatMap(({ path }) => [path, `${path}p1`]).filter((path) => existsSync(path));
  for (let round = 0; round < 100 && nodes.some(isClaimed); round += 1) await sleep(50);
}

/** True if a mount or another user has the block device open exclusively (open(2), O_EXCL). */
function isClaimed(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_EXCL));
    return false;
  } catch {
    return true;
  }
}

/** Removes everything on request or when this process ends, so a killed test leaves no loop device behind. */
function startCleaner(folder: string): { end(): Promise<void> } {
  const script = `cat > /dev/null; sleep 0.5
losetup --list --noheadings --raw --output NAME,BACK-FILE | while read -r name file; do
case $file in "$1"/*) partx -d "$name"; losetup --detach "$name";; esac
done 2> /dev/null
rm -rf "$1"`;
  const child = spawn("sh", ["-c", script, "sh", folder], { stdio: ["pipe", "ignore", "inherit"], detached: true });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

async function startNamespace(folder: string): Promise<{ readonly pid: number; end(): Promise<void> }> {
  const script = `mount --bind "$1/etc" /etc && mount -t tmpfs tmpfs /run && mkdir -p /run/udev/data && echo ready && exec cat`;
  const child = spawn("unshare", ["--mount", "--propagation=private", "sh", "-c", script, "sh", folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", reject);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    pid: child.pid ?? 0,
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Records what udev would know about the disk (in its database, from which lsblk reads it). */
function nameDisk(enter: readonly string[], disk: LoopDisk): void {
  const file = `/run/udev/data/b7:${basename(disk.path).slice("loop".length)}`;
  run([...enter, "sh", "-c", `printf 'I:1\\nE:ID_SERIAL_SHORT=%s\\n' "$1" > "$2"`, "sh", disk.serial, file]);
}
