import { mkdir, readFile, readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { killAll, processesMarked } from "./processes.ts";

/** The word that marks every process of a lab; it appears in the path of the process's cgroup or in its arguments. */
export function markWord(mark: string): string {
  return `furrow-lab-${mark}`;
}

/** True if systemd is PID 1 on the machine and therefore manages its cgroups. */
export async function systemdRuns(): Promise<boolean> {
  return stat("/run/systemd/system").then(
    () => true,
    () => false,
  );
}

/**
 * Creates the cgroup for a host's processes. If the machine runs systemd, the cgroup is a separate systemd scope in
 * which the host may create cgroups; otherwise, this function creates directories in the hierarchies that the host's
 * systemd uses (the named hierarchy of cgroup v1, and v2).
 */
export async function placeForHost(
  mark: string,
  host: string,
): Promise<{ readonly prefix: readonly string[]; readonly join: readonly string[] }> {
  if (await systemdRuns()) {
    const unit = `${markWord(mark)}-${host}.scope`;
    return {
      prefix: ["systemd-run", "--scope", "--quiet", "--collect", "--property=Delegate=yes", `--unit=${unit}`],
      join: [],
    };
  }
  const directories = (await hierarchies()).map((root) => join(root, markWord(mark), host));
  for (const directory of directories) await mkdir(directory, { recursive: true });
  return { prefix: [], join: directories.map((directory) => join(directory, "cgroup.procs")) };
}

/**
 * Kills every process of a lab, including its hosts, and removes its cgroups. Returns a description of each process
 * that does not end.
 */
export async function removeProcesses(mark: string): Promise<string[]> {
  const undying = await killAll(() => processesMarked(markWord(mark)));
  for (const root of await hierarchies()) await removeCgroup(join(root, markWord(mark)));
  return undying;
}

/** The mount points of the cgroup hierarchies that systemd inside a host uses. */
async function hierarchies(): Promise<string[]> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" "));
  return mounts
    .filter(
      ([, , type, options]) =>
        type === "cgroup2" || (type === "cgroup" && options?.split(",").includes("name=systemd")),
    )
    .map(([, point]) => point ?? "");
}

/** Removes a cgroup from its leaves upward; its files cannot be removed, and need not be. */
async function removeCgroup(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeCgroup(join(directory, entry.name));
  await rmdir(directory).catch(() => undefined);
}
