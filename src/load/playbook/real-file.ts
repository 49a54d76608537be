import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The absolute path of a user's file, with symlinks resolved: Node searches the imports, the package.json and the
 * packages of a symlink from the file that it leads to. A file that does not exist keeps its path.
 */
export function realFile(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
