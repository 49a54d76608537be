import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeBytes } from "../../core/bytes.ts";
import { matchesPattern } from "../../facts/local-tree.ts";

/** The largest file of a tree that is looked at for conflicts before a run, in bytes. */
const comparedBytes = 1024 * 1024;

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
