import { type Fact, type HostFact, isControllerFact } from "./fact.ts";
import type { KnownAfterApply } from "./symbols.ts";

/** The kind of {@link pathResolution}. The engine asks for it along with every fact whose key contains a path. */
export const pathResolutionKind = "pathResolution";

/**
 * The links and mounts on the path to a directory that make the path refer to another directory. Most paths have none.
 */
export interface PathResolution {
  /** The targets of symbolic links on the path, by the path of each link (with real names up to the link). */
  readonly links: Readonly<Record<string, string>>;
  /**
   * The bind mounts on the path or directly in the directory: for each mount point, the other path that shows the same
   * files. A mount point that maps to itself is below a bind mount and hides a part of it.
   */
  readonly mounts: Readonly<Record<string, string>>;
  /** The mount point of the file system that the directory is on, if it is mounted read-only. */
  readonly readOnly?: string;
  /**
   * Mount points directly in the directory whose file systems are read-only although the directory is writable, or
   * writable although the directory is read-only.
   */
  readonly unlike?: readonly string[];
}

/** The value for a directory without links or mounts on its path. */
export const plainResolution: PathResolution = { links: {}, mounts: {} };

/** Asks for the links and mounts on the path to a directory. */
export function pathResolution(directory: string): HostFact<PathResolution> {
  return { kind: pathResolutionKind, key: directory, facets: [] };
}

/** True if a fact is about the links and mounts on a path. */
export function isPathResolution(fact: Fact): fact is HostFact<unknown> {
  return !isControllerFact(fact) && fact.kind === pathResolutionKind;
}

/** Returns the real name of a path. With `follow`, if the last part is a link, returns the name of its target. */
export type RealName = (path: string, follow?: boolean) => string;

/** The target of a link on a path; `knownAfterApply` if it is known only during the run. */
export type Target = string | KnownAfterApply;

/** The maximum number of links that one path may go through, as in Linux (path_resolution(7)). */
const mostLinks = 40;

/** The known links and mounts that redirect paths. */
export interface Redirections {
  /** The target of the link at a real path; undefined if no link is known at that path. */
  readonly linkAt: (place: string) => Target | undefined;
  /** The path where a file is really stored: the given path, unless a mount makes the file visible at two paths. */
  readonly mountedAt: (path: string) => string;
}

/**
 * Resolves an absolute path as path_resolution(7) describes, with the known links and mounts. Returns the real name and
 * every path visited on the way. The name is undefined if one of the links has an unknown target or the links form a
 * loop.
 */
export function resolvePath(
  path: string,
  follow: boolean,
  { linkAt, mountedAt }: Redirections,
): { readonly real: string | undefined; readonly places: readonly string[] } {
  const rest = partsOf(path).toReversed();
  const places: string[] = [];
  let at = "";
  let links = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    const next = `${at}/${part}`;
    const place = mountedAt(next);
    places.push(place);
    if (next !== place) places.push(next);
    const target = rest.length === 0 && !follow ? undefined : linkAt(place);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (typeof target === "symbol" || links > mostLinks) return { real: undefined, places };
    if (target.startsWith("/")) at = "";
    rest.push(...partsOf(target).toReversed());
  }
  return { real: at === "" ? "/" : mountedAt(at), places };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
