import { notReadable } from "../core/file-type.ts";
import { outside } from "./outside.ts";

/**
 * Reads a file that a user's settings name. If the path is a FIFO, a socket or a device, throws an Error that gives the
 * reason; if it does not exist or cannot be read, throws Node's own error.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  const problem = notReadable(path, await outside.stat(path).catch(() => undefined));
  if (problem !== undefined) throw new Error(problem);
  return outside.readFile(path);
}
