import { readFile, rm, writeFile } from "node:fs/promises";

/** A setting of the machine's kernel that labs need, and that is what it was before when the last lab is gone. */
interface Switch {
  readonly path: string;
  /** The least it must be. */
  readonly atLeast: number;
  /** Where it is kept what it was before. */
  readonly memory: string;
}

const switches: readonly Switch[] = [
  { path: "/proc/sys/net/ipv4/ip_forward", atLeast: 1, memory: "/run/furrow-lab.ip-forward" },
  // Every systemd, udevd and dnsmasq of every host takes some; all hosts share the machine's root user and its 128.
  { path: "/proc/sys/fs/inotify/max_user_instances", atLeast: 4096, memory: "/run/furrow-lab.inotify" },
];

/** Sets what labs need of the machine's kernel and remembers what it was. Call it under the lock of the network. */
export async function raiseSwitches(): Promise<void> {
  for (const { path, atLeast, memory } of switches) {
    const before = (await readFile(path, "utf8")).trim();
    if (Number(before) >= atLeast) continue;
    await writeFile(memory, before);
    await writeFile(path, String(atLeast));
  }
}

/** Sets back what `raiseSwitches` has set; for the last lab of the machine. */
export async function restoreSwitches(): Promise<void> {
  for (const { path, memory } of switches) {
    const before = await readFile(memory, "utf8").catch(() => undefined);
    if (before === undefined) continue;
    await writeFile(path, before);
    await rm(memory, { force: true });
  }
}
