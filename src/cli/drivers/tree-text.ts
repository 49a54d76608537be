import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeBytes } from "../../core/host/bytes.ts";
import { type LocalEntry, matchesPattern } from "../../facts/controller/local-tree.ts";

/** The largest file of a tree that is looked at for conflicts before a run, in bytes. */
const comparedBytes = 1024 * 1024;

/** The most files and directories of a tree that are compared with those of another tree before a run. */
const comparedNames = 2000;

/**
 * The text of a file in a tree, by the request of `localTree` and the path below it; undefined where the tree does not bring
 * such a file, or it is larger than {@link comparedBytes}. Links in the tree are not followed.
 */
export function treeText(request: unknown, below: string): string | undefined {
  const { path, exclude = [] } = request as { readonly path: string; readonly exclude?: readonly string[] };
  if (matchesPattern(below, exclude)) return undefined;
  try {
    const full = join(resolve(path), below);
    const found = lstatSync(full);
    return found.isFile() && found.size <= comparedBytes ? decodeBytes(readFileSync(full)) : undefined;
  } catch {
    // The run says what is wrong with it.
    return undefined;
  }
}

/** True where a tree has something at a path below it, or cannot be read, by the request of `localTree`. */
export function treeHolds(request: unknown, below: string): boolean {
  const { path } = request as { readonly path: string };
  try {
    return (
      lstatSync(resolve(path), { throwIfNoEntry: false }) === undefined ||
      lstatSync(join(resolve(path), below), { throwIfNoEntry: false }) !== undefined
    );
  } catch {
    // The run says what is wrong with it.
    return true;
  }
}

/**
 * What a tree brings at a path below it, by the request of `localTree`: as that tells it, without a hash. Undefined where the
 * tree brings nothing there.
 */
export function treeEntry(request: unknown, below: string): LocalEntry | undefined {
  const { path, exclude = [] } = request as { readonly path: string; readonly exclude?: readonly string[] };
  if (matchesPattern(below, exclude)) return undefined;
  try {
    const full = join(resolve(path), below);
    const found = lstatSync(full);
    if (found.isDirectory()) return { type: "directory" };
    if (found.isSymbolicLink()) return { type: "link", target: readlinkSync(full) };
    if (!found.isFile()) return undefined;
    return { type: "file", sha256: "", size: found.size, executable: (found.mode & 0o100) !== 0 };
  } catch {
    // The run says what is wrong with it.
    return undefined;
  }
}

/** The paths of all that is in a tree; undefined where it cannot be read, or has more than {@link comparedNames}. */
export function treeNames(request: unknown): readonly string[] | undefined {
  const { path } = request as { readonly path: string };
  const root = resolve(path);
  const names: string[] = [];
  const folders = [""];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
        const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
        names.push(name);
        if (entry.isDirectory()) folders.push(name);
      }
      if (names.length > comparedNames) return undefined;
    }
    return names;
  } catch {
    // The run says what is wrong with it.
    return undefined;
  }
}
