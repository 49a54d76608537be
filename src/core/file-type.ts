/** The part of Node's `Stats` that shows the type of the file at a path. */
export interface TypedPath {
  isFile(): boolean;
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isCharacterDevice(): boolean;
}

/**
 * Returns the reason why a path cannot be read like a regular file; undefined if it can, or if nothing is known about
 * the path. Reading a FIFO would block the process, which would then ignore Ctrl-C, and some devices have no end.
 */
export function notRegular(found: TypedPath | undefined): string | undefined {
  return found === undefined || found.isFile() ? undefined : `it is ${typeOf(found)}, not a regular file`;
}

/**
 * Like {@link notRegular}, but accepts `/dev/null`, which users write for "no file". It also accepts a directory,
 * because Node's own error for it is clear.
 */
export function notReadable(path: string, found: TypedPath | undefined): string | undefined {
  return path === "/dev/null" || found?.isDirectory() === true ? undefined : notRegular(found);
}

/** The type of anything but a regular file, as a noun: `a FIFO`. */
export function typeOf(found: TypedPath): string {
  if (found.isDirectory()) return "a directory";
  if (found.isFIFO()) return "a FIFO";
  if (found.isSocket()) return "a socket";
  return found.isCharacterDevice() ? "a character device" : "a block device";
}
