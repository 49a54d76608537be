import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeBytes } from "../../core/host/bytes.ts";
import { type LocalEntry, matchesPattern } from "../../facts/controller/local-tree.ts";

/** The maximum size, in bytes, of a file in a tree that is checked for conflicts before a run. */
const comparedBytes = 1024 * 1024;

/** Before a run, a tree with more files and directories than this is not compared with other trees. */
const comparedNames = 2000;

/**
 * Returns the text of a file in a tree, given the tree's `localTree` request and the file's path in the tree.
 * Undefined if the tree does not contain the file, or the file is larger than {@link comparedBytes}. Does not follow
 * links in the tree.
 */
export function treeText(request: unknown, below: string): string | undefined {
  const { path, exclude = [] } = request as { readonly path: string; readonly exclude?: readonly string[] };
  if (matchesPattern(below, exclude)) return undefined;
  try {
    const full = join(resolve(path), below);
    const found = lstatSync(full);
    return found.isFile() && found.size <= comparedBytes ? decodeBytes(readFileSync(full)) : undefined;
  } catch {
    // The run reports the error.
    return undefined;
  }
}

/** True if the tree of a `localTree` request has an entry at a path below its root, or if the tree cannot be read. */
export function treeHolds(request: unknown, below: string): boolean {
  const { path } = request as { readonly path: string };
  try {
    return (
      lstatSync(resolve(path), { throwIfNoEntry: false }) === undefined ||
      lstatSync(join(resolve(path), below), { throwIfNoEntry: false }) !== undefined
    );
  } catch {
    // The run reports the error.
    return true;
  }
}

/**
 * Returns the entry at a path below a tree's root, given the tree's `localTree` request. The entry has the same format
 * as an answer to `localTree`, but without a hash. Undefined if nothing is at the path.
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
    // The run reports the error.
    return undefined;
  }
}

/** Lists all paths in a tree. Undefined if the tree cannot be read, or has more than {@link comparedNames} paths. */
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
    // The run reports the error.
    return undefined;
  }
}
