import type { HostFact } from "./fact.ts";

/**
 * The session user's rights on a path, according to the kernel. Check mode asks this about the paths that steps write
 * to.
 */
export interface Access {
  /** The nearest existing directory above the path. */
  readonly at: string;
  /** False if the kernel does not let the user create entries in that directory. */
  readonly write: boolean;
  /** True if `at` is not a directory at all, so nothing can be created below it. */
  readonly file?: true;
  /** True if only the owners of its entries may replace and remove them, and the directory belongs to another user. */
  readonly sticky: boolean;
  /** The directory's group, if new entries inherit it (set-group-ID). */
  readonly gives?: string;
  readonly uid: number;
  /** The names and numbers of the user's groups; empty for root. */
  readonly groups: readonly string[];
  /** The attribute (chattr(1)) that protects the directory from changes. */
  readonly in?: Attribute;
  /** The attribute that protects the path itself. */
  readonly is?: Attribute;
  /** True if something is mounted at the path. */
  readonly mounted: boolean;
  /** Set if the directory is in a virtual file system in which only the kernel can create entries. */
  readonly kernel?: "proc" | "sysfs";
}

/** An attribute of a file that protects it even from root. */
export type Attribute = "immutable" | "append-only";

/** The obstacles to removing everything below a directory; empty if none was found. */
export interface Removable {
  /** A path below the directory, or the directory itself, with an attribute that protects it even from root. */
  readonly held?: string;
  /** A directory whose entries the user cannot remove. */
  readonly denied?: string;
  /** Another user's entry in a sticky directory. */
  readonly sticky?: string;
  /** A directory that the user cannot read, so it is unknown whether it is empty. */
  readonly shut?: string;
  /** True if the search took too long, so there may be more obstacles. */
  readonly slow?: true;
}

/** The kind of {@link accessTo}. */
export const accessKindName = "access";

/** The kind of {@link removableBy}. */
export const removableKindName = "removable";

/** Asks what the session's user may do with an absolute path. */
export function accessTo(path: string): HostFact<Access> {
  return { kind: accessKindName, key: path, facets: [] };
}

/**
 * Asks whether everything below a directory can be removed: by `user` if one is given, otherwise by the session's user.
 * The host checks this as `user`, so the session's user must then be root.
 */
export function removableBy(user: string | undefined, path: string): HostFact<Removable> {
  return { kind: removableKindName, key: user === undefined ? path : `${user} ${path}`, facets: [] };
}
