import {
  type Absent,
  absent,
  type LocalTree,
  type Refusal,
  refuse,
  type Tree,
  type TreeEntry,
} from "../../src/authoring.ts";
import { byCode, entryIn, hashLimit, matchesPattern } from "../../src/facts/catalogue.ts";
import type { TreeParams } from "./params.ts";

/** The wanted properties of one entry, from the params and the source. */
export type WantedEntry = Partial<TreeEntry> & Pick<TreeEntry, "type">;

/**
 * Returns every entry that the host's tree must have, keyed by the path below the tree; the tree's own directory is
 * `.`.
 */
export function wantedEntries(p: TreeParams, source: LocalTree): Record<string, WantedEntry> {
  const own = { ...(p.owner !== undefined && { owner: p.owner }), ...(p.group !== undefined && { group: p.group }) };
  const entries: Record<string, WantedEntry> = { ".": { type: "directory", mode: p.directoryMode, ...own } };
  for (const [path, entry] of Object.entries(source.entries)) {
    if (entry.type === "directory") entries[path] = { type: "directory", mode: p.directoryMode, ...own };
    else if (entry.type === "link") entries[path] = { type: "link", target: entry.target };
    else {
      const fileMode = p.fileMode ?? (entry.executable ? "0755" : "0644");
      const hash = entry.size <= hashLimit && { sha256: entry.sha256 };
      entries[path] = { type: "file", mode: fileMode, ...hash, ...own };
    }
  }
  return entries;
}

/**
 * Returns the topmost entries that only the host has. Does not include excluded entries, or directories that contain
 * one.
 */
export function extras(p: TreeParams, source: LocalTree, now: Absent | Tree): readonly string[] {
  if (!p.purge || now === absent) return [];
  const kept = now.names.filter(
    (path) => path === "." || entryIn(source.entries, path) || matchesPattern(path, p.exclude),
  );
  const stays = new Set(kept.flatMap((path) => prefixes(path)));
  const gone = now.names.filter((path) => !stays.has(path));
  return gone.filter((path) => !gone.includes(path.slice(0, Math.max(0, path.lastIndexOf("/")))));
}

function prefixes(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/**
 * Returns all names that the tree will contain once the task is done: those in the source, and those that `purge` does
 * not remove.
 */
export function wantedNames(p: TreeParams, source: LocalTree, now: Absent | Tree): readonly string[] {
  const gone = extras(p, source, now);
  const before = now === absent ? [] : now.names;
  const kept = before.filter((path) => !gone.some((top) => path === top || path.startsWith(`${top}/`)));
  return [...new Set([".", ...Object.keys(source.entries), ...kept])].toSorted(byCode);
}

/**
 * Returns the source files that exist on the host but are too large to be hashed with the tree: each is hashed
 * separately.
 */
export function largeFiles(source: LocalTree, now: Absent | Tree): readonly string[] {
  return Object.entries(source.entries).flatMap(([path, entry]) =>
    entry.type === "file" && entry.size > hashLimit && now !== absent && entryIn(now.entries, path)?.type === "file"
      ? [path]
      : [],
  );
}

/**
 * Refuses to change anything at or below a directory on another file system: that directory's content is not read with
 * the tree, so the tree would never reach the desired state.
 */
export function mountRefusal(root: string, wanted: readonly string[], now: Absent | Tree): Refusal | undefined {
  if (now === absent) return undefined;
  const mounted = now.names.find(
    (name) =>
      entryIn(now.entries, name)?.mounted && wanted.some((path) => path === name || path.startsWith(`${name}/`)),
  );
  if (mounted === undefined) return undefined;
  const path = `${root}/${mounted}`;
  return refuse({
    code: "in-use",
    message: `${path} must not be changed, because a file system is mounted there`,
    current: `mount:${path}`,
    hint: `Set exclude: [${JSON.stringify(mounted)}], and keep the mounted directory with a separate directoryTree task`,
  });
}

/**
 * Refuses a replacement that is not allowed. A directory never replaces anything else, and nothing replaces a
 * directory; the same applies to device nodes, FIFOs and sockets. A link replaces a regular file only if `replace`
 * allows it.
 */
export function obstacle(
  { path, replace }: Pick<TreeParams, "path" | "replace">,
  wanted: Readonly<Record<string, WantedEntry>>,
  now: Absent | Tree,
): Refusal | undefined {
  if (now === absent) return undefined;
  for (const [name, { type }] of Object.entries(wanted)) {
    const found = entryIn(now.entries, name)?.type;
    if (found === undefined || found === type) continue;
    if (found === "file" && type === "link" && replace === undefined) return wouldReplace(`${path}/${name}`);
    if (found !== "directory" && found !== "other" && type !== "directory") continue;
    return refuse({
      code: "in-the-way",
      message: `${name === "." ? path : `${path}/${name}`} is a ${found === "other" ? "device node, FIFO or socket" : found}, but it must be a ${type}`,
      current: found,
      expected: type,
      hint: "Check what it contains, and remove it by hand or with a file task in another playbook",
    });
  }
  return undefined;
}

function wouldReplace(path: string): Refusal {
  return refuse({
    code: "would-replace",
    message: `${path} is a regular file, but a link in the source`,
    current: "file",
    expected: "link",
    hint: 'Add replace: "file" if it may be replaced',
  });
}
