import { chmod, chown, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * A file to write: its text, or the target of a symbolic link. The mode is an octal string (default "0644"), and the
 * owner is a user id.
 */
export type TreeFile =
  | { readonly text: string; readonly mode?: string; readonly owner?: number }
  | { readonly link: string };

/** Writes files below `root`, by absolute path, replacing existing ones. */
export async function writeTree(root: string, files: Readonly<Record<string, TreeFile>>): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    await rm(target, { force: true });
    if ("link" in file) {
      await symlink(file.link, target);
      continue;
    }
    await writeFile(target, file.text);
    // The process's umask would remove bits from a mode given to writeFile.
    await chmod(target, Number.parseInt(file.mode ?? "0644", 8));
    if (file.owner !== undefined) await chown(target, file.owner, file.owner);
  }
}
