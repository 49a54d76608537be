import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The ids of all processes of the machine except this one. */
function otherProcesses(): number[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.map(Number).filter((pid) => pid !== process.pid);
}

/** The text of a /proc file, or "" if its process has ended. */
function procText(pid: number, file: string): string {
  try {
    // The kernel answers from memory; the thread pool would take ten times as long.
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The processes with `word` in their arguments, their environment or the path of a cgroup. */
export function processesMarked(word: string): number[] {
  const marked = (pid: number): boolean =>
    ["cgroup", "cmdline", "environ"].some((file) => procText(pid, file).includes(word));
  return otherProcesses().filter(marked);
}

/** True while the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  const stat = procText(pid, "stat");
  // The command's name is in parentheses and may contain anything, so the state follows the last one.
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** A process id with its start time, which distinguishes it from a later process with the same id. */
export function processStamp(pid: number): string | undefined {
  const stat = procText(pid, "stat");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? undefined : `${pid} ${started}`;
}

/** The children of all threads of a process. */
function childrenOf(pid: number): number[] {
  const lists = threadsOf(pid).map((thread) => procText(pid, `task/${thread}/children`));
  return lists.flatMap((list) =>
    list
      .split(" ")
      .filter((word) => word.trim() !== "")
      .map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The process below `ancestor` that is PID 1 of its own namespace; undefined while there is none. */
export function namespaceLeader(ancestor: number): number | undefined {
  for (const child of childrenOf(ancestor)) {
    const ids = /^NSpid:\s+(.*)$/m.exec(procText(child, "status"))?.[1]?.split(/\s+/) ?? [];
    if (ids.length > 1 && ids.at(-1) === "1") return child;
    const deeper = namespaceLeader(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** `killAll` gives up after this many seconds in which no process has died. */
const patienceSeconds = 20;

/**
 * Kills processes with SIGKILL until none is left.
 *
 * @param find lists the processes to kill; called again after each round, because a dying process may have forked
 * @returns the processes that do not die, as in /proc: number, name, state
 */
export async function killAll(find: () => readonly number[]): Promise<string[]> {
  let fewest = Number.POSITIVE_INFINITY;
  let since = Date.now();
  for (;;) {
    const living = find().filter(isAlive);
    if (living.length === 0) return [];
    if (living.length < fewest) since = Date.now();
    fewest = Math.min(fewest, living.length);
    if (Date.now() - since > patienceSeconds * 1000)
      return living.map((pid) => procText(pid, "stat").split(" ").slice(0, 3).join(" "));
    for (const pid of living) kill(pid);
    await sleep(10);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
