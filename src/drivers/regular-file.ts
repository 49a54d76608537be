import { readFile, stat } from "node:fs/promises";
import { notRegular } from "../core/file-type.ts";

/**
 * Reads a regular file; follows links. Throws an Error, which says why, for anything else and for a file of more than
 * `mostMiB`; throws Node's own error if the path does not exist or cannot be read.
 */
export async function readRegularFile(path: string, mostMiB: number): Promise<Buffer> {
  const found = await stat(path).catch(() => undefined);
  const problem = notRegular(found);
  if (problem !== undefined) throw new Error(problem);
  if (found !== undefined && found.size > mostMiB * 2 ** 20)
    throw new Error(`it is larger than ${mostMiB} MiB: ${found.size} bytes`);
  return readFile(path);
}
