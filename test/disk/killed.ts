import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import type { Node } from "../../src/core/authoring/group.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import type { LoopHost } from "./loop-host.ts";

/** Programs whose start counts as an event. In the first group, each system call that writes is an event as well. */
const watched = {
  writers: ["dd", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "wipefs", "partx", "mount", "mv", "mknod"],
  others: ["blkid", "blockdev", "flock", "mkdir", "base64", "sync", "chmod", "chown"],
};

const writing = "write,pwrite64,pwritev,fsync,fdatasync,ioctl,fallocate,mount,mknodat,rename,renameat,renameat2";

/** A run that may have been killed before it finished. */
export interface CutRun {
  readonly ends: readonly TaskEnd[];
  /** The number of events, counted from the first step on the disk; the run was killed at the last of them. */
  readonly events: number;
  /** The last event that was seen. */
  readonly last: string;
}

/**
 * Applies tasks to a host, and kills all of the host's processes (SIGKILL) after this many events. Events are counted
 * from the first step on the disk: each is the start of a program or a system call that writes. `Infinity` only
 * counts the events.
 */
export async function applyAndKill(host: LoopHost, killAfter: number, ...nodes: readonly Node[]): Promise<CutRun> {
  const fifo = join(host.folder, "events");
  const pidFile = join(host.folder, "pid");
  for (const file of [fifo, pidFile]) rmSync(file, { force: true });
  execFileSync("mkfifo", [fifo]);
  await host.sh("rm -f /run/furrow/armed");
  const programs = wrapPrograms(host.folder, fifo);
  const seen = { events: 0, last: "" };
  // A reader that also opens the pipe for writing does not see an end of file between two programs.
  const pipe = openSync(fifo, constants.O_RDWR);
  const reader = spawn("cat", [], { stdio: [pipe, "pipe", "inherit"] });
  closeSync(pipe);
  const lines = createInterface({ input: reader.stdout as Readable });
  lines.on("line", (line) => {
    if (seen.events >= killAfter || /BLKGET|BLKSSZ|TCGETS|= -1 E|exited with/.test(line)) return;
    seen.events += 1;
    seen.last = line;
    if (seen.events === killAfter && existsSync(pidFile)) kill(Number(readFileSync(pidFile, "utf8")));
  });
  // A killed host stays unreachable: a second connection fails.
  const once = `[ ! -e "$1" ] || exit 1; echo $$ > "$1"; PATH="$2:$PATH"; export PATH; shift 2; exec "$@"`;
  const cage = [...host.enter, "unshare", "--pid", "--fork", "--kill-child=SIGKILL", "sh"];
  const ends = await taskHost(["sh", "-c", once, "sh", pidFile, programs, ...cage]).apply(...nodes);
  reader.kill();
  return { ends, ...seen };
}

/** Writes a wrapper for each watched program, which reports the start and then execs the program. */
function wrapPrograms(folder: string, fifo: string): string {
  const programs = join(folder, "programs");
  rmSync(programs, { recursive: true, force: true });
  mkdirSync(programs);
  for (const name of [...watched.writers, ...watched.others]) {
    const real = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    const writes = watched.writers.includes(name);
    // Calls that only read the disk are not counted: there are hundreds of them for a blank disk.
    const reads = name === "dd" ? `case "$*" in *of=/dev/loop*) ;; *) exec ${real} "$@";; esac\n` : "";
    const start = `echo "${name} $1" > ${fifo}\n`;
    const end = writes ? `exec strace -qq -o ${fifo} -s 16 -e trace=${writing} ${real} "$@"` : `exec ${real} "$@"`;
    const armed = `[ -e /run/furrow/armed ] || [ ${name} = flock ] || exec ${real} "$@"\n: > /run/furrow/armed\n`;
    writeFileSync(join(programs, name), `#!/bin/sh\n${reads}${armed}${start}${end}\n`, { mode: 0o755 });
  }
  return programs;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended since its last event.
  }
}
