import { notReadable } from "../core/file-type.ts";
import { outside } from "./outside.ts";

/**
 * Reads a file that a user's settings name. Throws an Error with the reason for a FIFO, a socket or a device, and
 * Node's own error if the path does not exist or cannot be read.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  const problem = notReadable(path, await outside.stat(path).catch(() => undefined));
  if (problem !== undefined) throw new Error(problem);
  return outside.readFile(path);
}
