import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { cannotWrite } from "../core/host/local-write.ts";

/**
 * Asks whether a file can be created or replaced at an absolute path on the controller, without writing anything.
 * Directories may be missing, because they would be created. Throws FurrowError E_FILE if it is certain that the file
 * cannot be written.
 */
export async function requireWritable(path: string): Promise<void> {
  const obstacle = (await obstacleAbove(path)) ?? (await obstacleAt(path));
  if (obstacle !== undefined) throw cannotWrite(path, obstacle);
}

/** Why the nearest existing directory above a path does not accept new entries; undefined if it does. */
async function obstacleAbove(path: string): Promise<Error | undefined> {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    try {
      if (!(await stat(directory)).isDirectory()) return noDirectory(`${directory} is not a directory`);
      await access(directory, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") return error as Error;
      if (await exists(directory)) return noDirectory(`${directory} is a dangling link`);
      if (directory === dirname(directory)) return error as Error;
    }
  }
}

/**
 * Why the file at a path cannot be replaced; undefined if it can. A file without write permission can be replaced in a
 * writable directory, but an immutable one cannot.
 */
async function obstacleAt(path: string): Promise<Error | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EPERM" || code === "EROFS" ? (error as Error) : undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function noDirectory(message: string): Error {
  return Object.assign(new Error(message), { code: "ENOTDIR" });
}
