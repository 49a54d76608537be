import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The ids of all processes on the machine except this one. */
function otherProcesses(): number[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.map(Number).filter((pid) => pid !== process.pid);
}

/** The contents of one of a process's files in /proc, or "" if the process has ended. */
function procText(pid: number, file: string): string {
  try {
    // The kernel answers from memory, so a synchronous read is fast; the thread pool would take ten times as long.
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The processes with `word` in their arguments, in their environment or in the path of one of their cgroups. */
export function processesMarked(word: string): number[] {
  const marked = (pid: number): boolean =>
    ["cgroup", "cmdline", "environ"].some((file) => procText(pid, file).includes(word));
  return otherProcesses().filter(marked);
}

/** True while the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  const stat = procText(pid, "stat");
  // The command's name is in parentheses and may itself contain any character, so look for the state after the last
  // parenthesis.
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** A process id with the process's start time, which distinguishes the process from a later one with the same id. */
export function processStamp(pid: number): string | undefined {
  const stat = procText(pid, "stat");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? undefined : `${pid} ${started}`;
}

/** The child processes of a process, from all its threads. */
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

/** The descendant of `ancestor` that is PID 1 in its own namespace; undefined until it exists. */
export function namespaceLeader(ancestor: number): number | undefined {
  for (const child of childrenOf(ancestor)) {
    const ids = /^NSpid:\s+(.*)$/m.exec(procText(child, "status"))?.[1]?.split(/\s+/) ?? [];
    if (ids.length > 1 && ids.at(-1) === "1") return child;
    const deeper = namespaceLeader(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** `killAll` gives up if no process ends for this many seconds. */
const patienceSeconds = 20;

/**
 * Sends SIGKILL to processes until none are left.
 *
 * @param find lists the processes to kill; it is called again after each round, because a dying process may have forked
 * @returns the processes that do not end, each with its id, name and state as in /proc
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
    // The process has already ended.
  }
}
