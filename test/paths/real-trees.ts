import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { PlainTask } from "./plain-files.ts";
import type { Made } from "./random-cases.ts";

/** Creates a tree below a root; skips entries that cannot be created. */
export function makeTree(root: string, tree: readonly Made[]): void {
  mkdirSync(root);
  for (const one of tree) {
    const path = `${root}/${one.path}`;
    if (one.made === "directory") mkdirSync(path);
    else if (one.made === "link") symlinkSync(placed(root, one.target), path);
    else if (one.made === "hardLink") linkSync(`${root}/${one.of}`, path);
    else if (one.made === "bind") {
      execFileSync("mount", ["--bind", `${root}/${one.of}`, path]);
      if (one.readOnly === true) execFileSync("mount", ["-o", "remount,bind,ro", path]);
    } else {
      writeFileSync(path, one.text);
      chmodSync(path, one.mode);
    }
  }
}

/** Removes a tree and everything mounted in it: a task may have moved a mount point. */
export function dropTree(root: string): void {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point.startsWith(`${root}/`));
  for (const point of points.toReversed()) execFileSync("umount", ["-l", point]);
  rmSync(root, { recursive: true, force: true });
}

/** A path or link target with `~` replaced by the root. */
export function placed(root: string, path: string): string {
  return path.startsWith("~/") ? root + path.slice(1) : path;
}

/** A task with its paths placed below a root; sources and archives are placed below `inputs`. */
export function placedTask(root: string, inputs: string, task: PlainTask): PlainTask {
  const text = JSON.stringify(task).replaceAll('"~/', `"${root}/`);
  const placedOne = JSON.parse(text) as PlainTask;
  if (placedOne.task === "tree") return { ...placedOne, source: `${inputs}/${placedOne.source}` };
  return placedOne.task === "unarchive" ? { ...placedOne, archive: `${inputs}/${placedOne.archive}` } : placedOne;
}

/** All entries of a tree, one line each, with the root removed from link targets. */
export function picture(root: string): string[] {
  const lines: string[] = [];
  const inodes = new Map<string, string>();
  const visit = (path: string): void => {
    const stats = lstatSync(root + path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) {
      lines.push(`${path} -> ${readlinkSync(root + path).replace(root, "~")}`);
    } else if (stats.isDirectory()) {
      lines.push(`${path}/ ${mode}`);
      for (const name of readdirSync(root + path).toSorted()) visit(`${path}/${name}`);
    } else {
      const inode = `${stats.dev}:${stats.ino}`;
      const same = stats.nlink > 1 ? ` = ${inodes.get(inode) ?? path}` : "";
      inodes.set(inode, inodes.get(inode) ?? path);
      lines.push(`${path} ${mode}${same} ${JSON.stringify(readFileSync(root + path, "utf8"))}`);
    }
  };
  visit("");
  return lines;
}
