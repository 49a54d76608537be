import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
/** Folders that are not part of the repository. */
const left = new Set([".git", "node_modules", "dist", "coverage"]);

/** The paths of all files of the repository, relative to its root. */
export function sourceFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : sourceFiles(path);
    return entry.isFile() ? [relative(root, path)] : [];
  });
}
