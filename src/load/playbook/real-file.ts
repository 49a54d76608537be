import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The absolute path of a user's file, with symlinks resolved, because Node resolves a symlink before it searches for
 * imports, packages and the package.json. If the file does not exist, returns its absolute path, unresolved.
 */
export function realFile(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
