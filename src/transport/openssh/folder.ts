import { tmpdir } from "node:os";
import { join } from "node:path";
import { outside } from "../outside.ts";

let folder: string | undefined;
let count = 0;
/** Connections that have something in the folder. */
let open = 0;

/** The paths of what one connection keeps on this machine; only this user may look. */
export interface Place {
  readonly socket: string;
  /** Writes a file of the connection's own and returns its path. Throws what the disk throws. */
  readonly write: (name: string, text: string) => string;
  /** Removes everything, to be called once. */
  remove(): void;
}

/** A socket's path has room for some 100 bytes (sun_path), and ssh adds 17 to it while it makes the socket. */
const longestPlace = 60;

/** Makes the place of a connection. The folder around all of them goes with the last, or as the process ends. */
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
