import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A cgroup (cgroups(7), version 2) in which one program runs, together with every process it starts. Unlike the
 * resource usage of a process that has exited, its figures include background children and grandchildren.
 */
export interface Enclosure {
  /** A command prefix that starts a program inside the enclosure. */
  readonly enter: readonly string[];
  /** CPU time of all processes in the enclosure so far, in milliseconds, user and system. */
  cpuMs(): number;
  /** The ids of the processes that are in the enclosure now. */
  processes(): readonly number[];
  /** Kills what is still running and removes the cgroup. */
  end(): Promise<void>;
}

/**
 * Creates an empty enclosure. Throws if the machine does not have cgroup version 2 or this user is not allowed to
 * create one.
 */
export function openEnclosure(): Enclosure {
  opened += 1;
  const folder = join(unifiedHierarchy(), `furrow-bench-${process.pid}-${opened}`);
  mkdirSync(folder);
  const processes = (): number[] => numbers(readFileSync(join(folder, "cgroup.procs"), "utf8"));
  return {
    enter: ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', join(folder, "cgroup.procs")],
    cpuMs: () => cpuMsOf(folder),
    processes,
    async end() {
      for (let attempt = 0; processes().length > 0 && attempt < 500; attempt += 1) {
        writeFileSync(join(folder, "cgroup.kill"), "1");
        await sleep(10);
      }
      rmdirSync(folder);
    },
  };
}
let opened = 0;

/** Where cgroup version 2 is mounted, whether alone or together with version 1. */
export function unifiedHierarchy(): string {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const point = mounts.map((line) => line.split(" ")).find(([, , type]) => type === "cgroup2")?.[1];
  if (point === undefined) throw new Error("the benchmarks need cgroup version 2, which is not mounted");
  return point;
}

/** CPU time of everything that ever ran in a cgroup or its descendants, in milliseconds. */
export function cpuMsOf(folder: string): number {
  const usage = /^usage_usec (\d+)/m.exec(readFileSync(join(folder, "cpu.stat"), "utf8"));
  return Number(usage?.[1] ?? Number.NaN) / 1000;
}

function numbers(text: string): number[] {
  return text.split("\n").filter(Boolean).map(Number);
}
