import { readFileSync } from "node:fs";

/**
 * The total memory of some processes, in bytes: the sum of their proportional set sizes (proc(5), `smaps_rollup`), so a
 * page shared by forked workers is counted once.
 */
export function memoryOf(processes: readonly number[]): number {
  let kibibytes = 0;
  for (const pid of processes) kibibytes += Number(/^Pss:\s+(\d+)/m.exec(rollup(pid))?.[1] ?? 0);
  return kibibytes * 1024;
}

/** Returns "" for a process that has ended in the meantime. */
function rollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return "";
  }
}
