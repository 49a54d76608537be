import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drifting, type Plan, statLine } from "./plan.ts";
import { treePath } from "./things.ts";

const folders = Array.from({ length: 20 }, (_, index) => `part-${index}`);

/** 200 files of 1 to 4 KiB in 20 directories, keyed by their paths in the tree. */
export const treeFiles = Array.from({ length: 200 }, (_, index) => ({
  path: `part-${index % 20}/file-${index}.txt`,
  content: `file ${index}\n${`${createHash("sha256").update(String(index)).digest("hex")}\n`.repeat(15 + ((index * 7) % 48))}`,
}));

/** Writes the tree into a folder on this machine. */
export function writeTree(folder: string): void {
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
  for (const { path, content } of treeFiles) writeFileSync(join(folder, path), content, { mode: 0o644 });
}

const directories = [treePath, ...folders.map((name) => `${treePath}/${name}`)];

/** The plan for a tree of 200 files. */
export const treePlan: Plan = {
  name: "tree",
  tasks: 1,
  remove: `rm -rf ${treePath} /var/lib/furrow`,
  ...drifting(`${treePath}/part-7/file-7.txt`),
  look: `find ${treePath} -exec stat -c '%n %F %a %U:%G' {} +; find ${treePath} -type f -exec sha256sum {} +`,
  wanted: [
    ...directories.map((path) => statLine(path, "directory", "755")),
    ...treeFiles.map(({ path }) => statLine(`${treePath}/${path}`, "regular file", "644")),
    ...treeFiles.map(
      ({ path, content }) => `${createHash("sha256").update(content).digest("hex")}  ${treePath}/${path}`,
    ),
  ].toSorted(),
  paths: [treePath],
};
