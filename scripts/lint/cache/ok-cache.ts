/**
 * The results that the checks of `npm run ok` keep for the next run. They depend on the content of the files alone, so
 * a new clone or worktree starts with the results of the last run on this machine.
 */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The compiler's results of the last run. */
export const typesCache = "node_modules/.cache/types";
/** The linter's results of the last run: the fingerprints of the files without problems. */
export const lintCache = "node_modules/.cache/lint.json";

const shared = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "furrow", "ok");

/** Copies the results of another clone if this one has none. */
export function takeShared(): void {
  for (const path of [typesCache, lintCache]) if (!existsSync(path)) copyIfThere(sharedPath(path), path);
}

/** Copies this clone's results for new clones. */
export function share(): void {
  for (const path of [typesCache, lintCache]) copyIfThere(path, sharedPath(path));
}

function sharedPath(path: string): string {
  return join(shared, path.split("/").at(-1) ?? path);
}

/** Copies a file if it exists. A cache that cannot be written only costs time. */
function copyIfThere(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  } catch (error) {
    if (!["ENOENT", "EACCES", "EROFS", "ENOSPC"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
