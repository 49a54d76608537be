import { readFile, readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The ids of all processes of the machine, this one left out. */
async function otherProcesses(): Promise<number[]> {
  const names = await readdir("/proc");
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** A file of /proc, or "" when its process has ended meanwhile. */
async function procText(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}

/** The processes that carry `word` in their arguments, their environment or the path of a cgroup. */
export async function processesMarked(word: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await otherProcesses()) {
    const texts = await Promise.all(["cgroup", "cmdline", "environ"].map((file) => procText(pid, file)));
    if (texts.some((text) => text.includes(word))) found.push(pid);
  }
  return found;
}

/** True while the process exists and is no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await procText(pid, "stat");
  // The command's name stands in parentheses and may hold anything, so the state is looked for after the last one.
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** A process together with its start time: a number that a later process may get again does not fool this one. */
export async function processStamp(pid: number): Promise<string | undefined> {
  const stat = await procText(pid, "stat");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? undefined : `${pid} ${started}`;
}

/** The children of a process, of all its threads. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => procText(pid, `task/${thread}/children`)));
  return lists.flatMap((list) =>
    list
      .split(" ")
      .filter((word) => word.trim() !== "")
      .map(Number),
  );
}

/** The process that is PID 1 of its own namespace, below `ancestor`; undefined while there is none. */
export async function namespaceLeader(ancestor: number): Promise<number | undefined> {
  for (const child of await childrenOf(ancestor)) {
    const ids = /^NSpid:\s+(.*)$/m.exec(await procText(child, "status"))?.[1]?.split(/\s+/) ?? [];
    if (ids.length > 1 && ids.at(-1) === "1") return child;
    const deeper = await namespaceLeader(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/**
 * Kills processes with SIGKILL until none is left.
 *
 * @param find names those that still live; asked again after each round, because a dying process may have forked
 * @returns true when none is left after ten seconds
 */
export async function killAll(find: () => Promise<readonly number[]>): Promise<boolean> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const living: number[] = [];
    for (const pid of await find()) if (await isAlive(pid)) living.push(pid);
    if (living.length === 0) return true;
    if (Date.now() > deadline) return false;
    for (const pid of living) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    await sleep(10);
  }
}
