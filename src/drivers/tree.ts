import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { decodeBytes } from "../core/host/bytes.ts";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError, isFurrowError } from "../core/errors.ts";
import { absent } from "../core/facts/symbols.ts";
import { cachedHash } from "./hash-cache.ts";
import { type LocalEntry, matchesPattern } from "../facts/controller/local-tree.ts";

/**
 * Answers the questions `localTree` (a directory on the controller and everything below it) and `localTexts` (the text
 * of files in it).
 */
export const treeDriver: Driver = {
  name: "tree",
  ahead(request) {
    const root = resolve((request as { readonly path: string }).path);
    return [`file:${root}`, `file:${root}/**`];
  },
  async read(request, signal) {
    const asked = request as {
      readonly path: string;
      readonly exclude?: readonly string[];
      readonly files?: readonly string[];
    };
    const root = resolve(asked.path);
    try {
      if (asked.files !== undefined) return await texts(root, asked.files);
      if (!(await isDirectory(root))) return absent;
      const entries: Record<string, LocalEntry> = {};
      await walk(root, "", asked.exclude ?? [], entries, signal);
      return { path: root, entries };
    } catch (error) {
      signal.throwIfAborted();
      if (isFurrowError(error)) throw error;
      throw new FurrowError("E_FILE", {
        what: `the directory ${asked.path} on the controller cannot be read`,
        current: (error as Error).message,
        hint: "Give the account that runs furrow permission to read the whole directory",
        cause: error,
      });
    }
  },
};

/**
 * False only if the directory is known to be absent. If an entry disappears while the tree is being read, that is an
 * error.
 */
async function isDirectory(root: string): Promise<boolean> {
  try {
    return (await lstat(root)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function texts(root: string, files: readonly string[]): Promise<Record<string, string>> {
  const found = await Promise.all(
    files.map(async (file) => [file, decodeBytes(await readFile(join(root, file)))] as const),
  );
  return Object.fromEntries(found);
}

async function walk(
  root: string,
  below: string,
  exclude: readonly string[],
  entries: Record<string, LocalEntry>,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(join(root, below));
  const paths = names.toSorted().map((name) => (below === "" ? name : `${below}/${name}`));
  const kept = paths.filter((path) => !matchesPattern(path, exclude));
  for (const path of kept) refuseName(join(root, path));
  const found = new Map<string, LocalEntry>();
  await inLanes(kept, async (path) => void found.set(path, await entryAt(join(root, path), signal)));
  for (const path of kept) {
    const entry = found.get(path);
    if (entry === undefined) continue;
    entries[path] = entry;
    if (entry.type === "directory") await walk(root, path, exclude, entries, signal);
  }
}

/**
 * Reads an entry; for a file, including its hash. Throws FurrowError E_FILE for an entry that furrow cannot copy to a
 * host.
 */
async function entryAt(full: string, signal: AbortSignal): Promise<LocalEntry> {
  signal.throwIfAborted();
  const found = await lstat(full, { bigint: true });
  if (found.isDirectory()) return { type: "directory" };
  if (found.isSymbolicLink()) return { type: "link", target: await targetOf(full) };
  if (found.isFile()) {
    const sha256 = await cachedHash(full, signal, found);
    return { type: "file", sha256, size: Number(found.size), executable: (found.mode & 0o100n) !== 0n };
  }
  throw new FurrowError("E_FILE", {
    what: `${full} is not a file, directory or link: furrow cannot copy it to a host`,
    hint: "Remove it, or leave it out with the exclude param",
  });
}

/**
 * Reads the target of a link. Throws FurrowError E_FILE if the target has several lines, as {@link refuseName} does.
 */
async function targetOf(full: string): Promise<string> {
  const target = await readlink(full);
  if (!target.includes("\n")) return target;
  throw new FurrowError("E_FILE", {
    what: `the target of the link ${full} contains a line break: furrow cannot copy the link to a host`,
    current: JSON.stringify(target),
    hint: "Change the link, or leave it out with the exclude param",
  });
}

/**
 * Throws FurrowError E_FILE for a name that is not a single line of UTF-8, because it could not appear in a host's
 * answer, and for a name that cannot be a key of a JavaScript object.
 */
function refuseName(full: string): void {
  const wrong = full.includes("\n")
    ? "contains a line break"
    : full.includes("\uFFFD")
      ? "contains bytes that are not UTF-8"
      : full.endsWith("/__proto__")
        ? "ends in __proto__, which cannot be a key of a JavaScript object"
        : undefined;
  if (wrong === undefined) return;
  throw new FurrowError("E_FILE", {
    what: `the name ${JSON.stringify(full)} ${wrong}: furrow cannot copy it to a host`,
    hint: "Rename it, or leave it out with the exclude param",
  });
}

/**
 * The number of entries in one directory that are read in parallel: the number of threads that Node has for file
 * access.
 */
const lanes = 4;

async function inLanes<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
