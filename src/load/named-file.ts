import { readFileSync, realpathSync, statSync } from "node:fs";
import { notReadable, type TypedPath } from "../core/file-type.ts";

/**
 * Reads a text file that a user names. Also reads a pipe from the shell, such as `<(pass show bmc)`. Throws an Error
 * with the reason if the file is a FIFO, a socket or a device. Throws Node's own error if the file does not exist or
 * cannot be read.
 */
export function readNamedFile(path: string): string {
  const found = typeAt(path);
  const problem = notReadable(path, found);
  if (problem !== undefined && !isShellPipe(path, found)) throw new Error(problem);
  return readFileSync(path, "utf8");
}

/**
 * The type of the file at a path. Undefined if it cannot be determined, for example because nothing is there: reading
 * the file then fails with a better error.
 */
function typeAt(path: string): TypedPath | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** True for a pipe that has no name in any directory. A FIFO has a name, and might never get a writer. */
function isShellPipe(path: string, found: TypedPath | undefined): boolean {
  if (found?.isFIFO() !== true) return false;
  try {
    realpathSync.native(path);
    return false;
  } catch {
    return true;
  }
}
