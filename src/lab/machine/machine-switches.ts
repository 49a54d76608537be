import { readFile, rm, writeFile } from "node:fs/promises";

/** A kernel setting of the machine that labs need. Its previous value is restored when the last lab is removed. */
interface Switch {
  readonly path: string;
  /** The minimum value. */
  readonly atLeast: number;
  /** The file that stores the previous value. */
  readonly memory: string;
}

const switches: readonly Switch[] = [
  { path: "/proc/sys/net/ipv4/ip_forward", atLeast: 1, memory: "/run/furrow-lab.ip-forward" },
  // Every systemd, udevd and dnsmasq on every host uses some inotify instances; all hosts share the machine's root user
  // and its limit of 128.
  { path: "/proc/sys/fs/inotify/max_user_instances", atLeast: 4096, memory: "/run/furrow-lab.inotify" },
];

/**
 * Changes the machine's kernel settings to those that labs need, and stores the previous values. The caller must hold
 * the network lock.
 */
export async function raiseSwitches(): Promise<void> {
  for (const { path, atLeast, memory } of switches) {
    const before = (await readFile(path, "utf8")).trim();
    if (Number(before) >= atLeast) continue;
    await writeFile(memory, before);
    await writeFile(path, String(atLeast));
  }
}

/** Restores the settings that `raiseSwitches` changed; called when the last lab on the machine is removed. */
export async function restoreSwitches(): Promise<void> {
  for (const { path, memory } of switches) {
    const before = await readFile(memory, "utf8").catch(() => undefined);
    if (before === undefined) continue;
    await writeFile(path, before);
    await rm(memory, { force: true });
  }
}
