import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeBytes } from "../../core/host/bytes.ts";
import { type LocalEntry, matchesPattern } from "../../facts/controller/local-tree.ts";

/** Bytes of the largest file of a tree that is checked for conflicts before a run. */
const comparedBytes = 1024 * 1024;

/** The most files and directories of a tree that are compared with those of another tree before a run. */
const comparedNames = 2000;

/**
 * Gives the text of a file in a tree, from the request of `localTree` and the path below it. Undefined if the tree has no
 * such file, or it is larger than {@link comparedBytes}. Links in the tree are not followed.
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

/** True if a tree, from the request of `localTree`, has an entry at a path below it, or cannot be read. */
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
 * Gives the entry of a tree at a path below it, from the request of `localTree`, in its format but without a hash.
 * Undefined if there is none.
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

/** All paths in a tree. Undefined if it cannot be read, or has more than {@link comparedNames}. */
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
