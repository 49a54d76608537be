import { tmpdir } from "node:os";
import { join } from "node:path";
import { outside } from "../outside.ts";

let folder: string | undefined;
let count = 0;
/** Number of connections with files in the parent folder. */
let open = 0;

/** The local files of one connection, which only the current user can read. */
export interface Place {
  readonly socket: string;
  /** Writes a file for the connection and returns its path. Throws the file system's errors. */
  readonly write: (name: string, text: string) => string;
  /** Removes all files of the connection. Call this only once. */
  remove(): void;
}

/** A socket's path may have at most about 100 bytes (sun_path), and ssh adds 17 while it creates the socket. */
const longestPlace = 60;

/**
 * Creates the folder of a connection. The parent folder is removed with the last of these folders, or when furrow
 * exits.
 */
export function makePlace(): Place {
  if (count === 0) process.once("exit", removeFolder);
  folder ??= outside.mkdtempSync(join(tmpdir().length > longestPlace ? "/tmp" : tmpdir(), "furrow-ssh-"));
  count += 1;
  open += 1;
  const start = join(folder, String(count));
  const written = [start];
  return {
    socket: start,
    write: (name, text) => {
      const path = `${start}.${name}`;
      outside.writeFileSync(path, text, { mode: 0o600 });
      written.push(path);
      return path;
    },
    remove: () => {
      for (const path of written) outside.rmSync(path, { force: true });
      open -= 1;
      if (open === 0) removeFolder();
    },
  };
}

function removeFolder(): void {
  if (folder !== undefined) outside.rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}
