import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
/** Folders that are not ours or that a build creates. */
const left = new Set([".git", "node_modules", "dist", "coverage"]);

/** All files of the repository, by their paths relative to its root. Folders that do not belong to it are left out. */
export function sourceFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : sourceFiles(path);
    return entry.isFile() ? [relative(root, path)] : [];
  });
}
