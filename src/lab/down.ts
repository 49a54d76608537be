import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { FurrowError } from "../core/errors.ts";
import { removeProcesses } from "./machine/cgroup.ts";
import { requireLabName } from "./options.ts";
import { removeAbandonedImages } from "./image/image.ts";
import { withLock } from "./lock.ts";
import { removeNetwork } from "./machine/network.ts";
import { labDirectory, labFiles, labMark, labStateDir } from "./places.ts";
import { command } from "./machine/shell.ts";

/**
 * Removes a lab and everything it owns: processes, mounts, loop devices, bridge, firewall table and files. It also
 * removes what a killed `labUp` left behind, and does nothing if the lab does not exist.
 *
 * @throws FurrowError E_LAB if no lab can have the name, or if something cannot be removed; fix the cause and run it
 * again
 */
export async function labDown(options: { readonly name?: string; readonly stateDir?: string } = {}): Promise<void> {
  const stateDir = options.stateDir ?? labStateDir();
  const { name = "lab" } = options;
  requireLabName(name);
  const directory = labDirectory(name, stateDir);
  await withLock(directory, () => removeLab(directory));
  await removeAbandonedImages(stateDir);
}

/**
 * Does the work of `labDown`, for callers that hold the lab's lock. It does not rely on a list of resources: it finds
 * each one by the lab's mark or by a path inside the lab's directory, even right after the resource was created.
 */
export async function removeLab(directory: string): Promise<void> {
  const mark = labMark(directory);
  const undying = await removeProcesses(mark);
  if (undying.length > 0)
    throw new FurrowError("E_LAB", {
      what: "some of the lab's processes do not exit",
      hint: "Run `furrow lab down` again; a process in state D waits for a disk or a network drive",
      details: undying,
    });
  await removeMounts(directory);
  await removeLoops(directory);
  await removeNetwork(mark);
  // The description is removed last, because the lab is listed and can be removed only as long as its description
  // exists.
  await rm(labFiles(directory).hosts, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

/** Unmounts everything at or below the directory, innermost mounts first. */
async function removeMounts(directory: string): Promise<void> {
  const points = (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .map((line) => unescaped(line.split(" ")[1] ?? ""))
    .filter((point) => point.startsWith(`${directory}/`));
  for (const point of points.toReversed()) await command(["umount", "--lazy", point]);
}

/** Decodes the octal escapes in /proc/self/mounts, which stand for space, tab, newline and backslash (proc(5)). */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Detaches the loop devices whose backing files are below the directory. */
async function removeLoops(directory: string): Promise<void> {
  const all = (
    await command(["losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE"], { allowFailure: true })
  ).stdout;
  for (const line of all.split("\n")) {
    const [device, ...file] = line.split(" ");
    if (device && file.join(" ").startsWith(join(directory, "/"))) await command(["losetup", "--detach", device]);
  }
}
