import { type HostFact, onlyRead } from "../../core/facts/fact.ts";
import { peek } from "../../core/facts/compare.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { file, type FileValue } from "./file.ts";
import type { FileState } from "./file-state.ts";

/** The reason why a directory cannot be used: it does not exist, or its path is not a directory. */
export interface DirectoryObstacle {
  readonly directory: string;
  readonly is: "missing" | "other";
  /** For a symbolic link: its target as written. */
  readonly target?: string | undefined;
}

/**
 * For the directories that are links, asks what each link leads to; `found` contains the directories' values. Use it as
 * a later stage of a task that works in these directories: a link is accepted if it leads to a directory.
 */
export function behindLinks(
  directories: readonly string[],
  found: readonly unknown[],
): { readonly behind?: readonly HostFact<FileValue>[] } {
  const behind = directories.flatMap((path, at) => (isLink(peek(found, at)) ? [onlyRead(file(`${path}/`))] : []));
  return behind.length === 0 ? {} : { behind };
}

/**
 * The first directory that cannot contain files; `behind` contains the answers to {@link behindLinks}. `mayMake`: the
 * task creates missing directories. Unknown values are not obstacles, but the answers in `behind` must be known.
 */
export function directoryObstacle(
  directories: readonly string[],
  found: readonly unknown[],
  behind: readonly FileValue[] = [],
  mayMake = false,
): DirectoryObstacle | undefined {
  let links = 0;
  for (const [at, directory] of directories.entries()) {
    const value = peek(found, at) as Absent | FileState | KnownAfterApply | undefined;
    if (value === absent && !mayMake) return { directory, is: "missing" };
    if (!isRecord(value)) continue;
    const type = peek(value, "type");
    if (type === "file" || type === "other") return { directory, is: "other" };
    if (type !== "link") continue;
    const target = peek(value as { target?: string }, "target");
    const named = { directory, target: target === knownAfterApply ? undefined : target };
    const end = behind[links];
    links += 1;
    if (end === absent) return { ...named, is: "missing" };
    if (end !== undefined && end.type !== "directory") return { ...named, is: "other" };
  }
  return undefined;
}

/** Describes the obstacle, as the end of a sentence. */
export function obstacleText({ directory, is, target }: DirectoryObstacle): string {
  const link = target === undefined ? "" : ` is a link to ${target}, which`;
  return `${directory}${link} ${is === "missing" ? "does not exist" : "is not a directory"}`;
}

/** The path of the directory that must be created; undefined if it is not known. */
export function missingDirectory({ directory, is, target }: DirectoryObstacle): string | undefined {
  if (is !== "missing") return undefined;
  return target === undefined ? directory : target.startsWith("/") ? target : undefined;
}

function isLink(value: unknown): boolean {
  return isRecord(value) && peek(value, "type") === "link";
}
