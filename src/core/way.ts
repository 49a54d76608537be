import type { HostFact } from "./fact.ts";
import type { KnownAfterApply } from "./symbols.ts";

/** The kind of {@link way}; the engine asks it along with every fact whose key names a path. */
export const wayKindName = "way";

/** What makes a directory's name lead elsewhere than it says. Both are empty for most directories. */
export interface Way {
  /** Symbolic links on the way, by the path they stand at (with real names up to there): what is written in them. */
  readonly links: Readonly<Record<string, string>>;
  /**
   * Mounts on the way or directly in the directory that show what another path shows, too (bind mounts), by mount point:
   * that other path. A mount point that stands for itself lies below such a mount and hides part of it.
   */
  readonly mounts: Readonly<Record<string, string>>;
}

/** The way to a directory whose name says where it is. */
export const plainWay: Way = { links: {}, mounts: {} };

/** Asks what lies on the way to a directory. */
export function way(directory: string): HostFact<Way> {
  return { kind: wayKindName, key: directory, facets: [] };
}

/** Gives the real name of a path. `follow`: where its last part is a link, the name of what that leads to. */
export type RealName = (path: string, follow?: boolean) => string;

/** The target of a link that a path goes through; `knownAfterApply` where only the host will know. */
export type Target = string | KnownAfterApply;

/** How many links one path may go through, as in Linux (path_resolution(7)). */
const mostLinks = 40;

/** What leads names elsewhere, as far as known. */
export interface Detours {
  /** The target of the link at a real path; undefined where none is known to be there. */
  readonly linkAt: (place: string) => Target | undefined;
  /** The path under which the thing at a path is known; the path itself where no mount shows it twice. */
  readonly mountedAt: (path: string) => string;
}

/**
 * Resolves an absolute path as path_resolution(7) says, by the links and mounts that are known. Gives the real name, and
 * every place it went through; undefined as name where a link on the way has no known target or the links go in a circle.
 */
export function resolvePath(
  path: string,
  follow: boolean,
  { linkAt, mountedAt }: Detours,
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
