import { exactly, type FactPattern, literal, namesFact, wildcardIn } from "../../core/facts/fact.ts";
import type { Implied } from "../../core/facts/implied.ts";
import type { ManagerName } from "./packaging.ts";

/** The files and folders from which a package manager's facts are read. */
interface PackagePlaces {
  /** The folder whose modification time shows when the index was last refreshed. */
  readonly index: string;
  /** A shell pattern that matches the index files. */
  readonly indexFiles: string;
  /** The repository lists: if one is newer than the index, the index is outdated. */
  readonly lists: readonly string[];
  /** Other files that decide which versions are available. */
  readonly rules: readonly string[];
  /** The folders with all settings. Only a few settings affect which packages are available. */
  readonly settings: readonly string[];
  /** The files that list held packages. */
  readonly holds: readonly string[];
}

/**
 * The paths for each manager: apt.conf(5), sources.list(5), apt_preferences(5), zypper(8), dnf.conf(5), pacman.conf(5).
 */
export const packagePlaces: Readonly<Record<ManagerName, PackagePlaces>> = {
  apt: {
    index: "/var/lib/apt/lists",
    indexFiles: "/var/lib/apt/lists/*_Packages*",
    lists: ["/etc/apt/sources.list", "/etc/apt/sources.list.d"],
    rules: ["/etc/apt/preferences", "/etc/apt/preferences.d"],
    settings: ["/etc/apt"],
    holds: [],
  },
  zypper: {
    index: "/var/cache/zypp/raw",
    indexFiles: "/var/cache/zypp/raw/*/*",
    lists: ["/etc/zypp/repos.d"],
    rules: [],
    settings: ["/etc/zypp"],
    holds: ["/etc/zypp/locks"],
  },
  dnf: {
    index: "/var/cache/dnf",
    indexFiles: "/var/cache/dnf/*.solv",
    lists: ["/etc/yum.repos.d", "/etc/dnf/dnf.conf"],
    rules: [],
    settings: ["/etc/dnf"],
    holds: [],
  },
  pacman: {
    index: "/var/lib/pacman/sync",
    indexFiles: "/var/lib/pacman/sync/*.db",
    lists: ["/etc/pacman.conf", "/etc/pacman.d"],
    rules: [],
    settings: [],
    holds: ["/etc/pacman.conf"],
  },
};

const all: readonly PackagePlaces[] = Object.values(packagePlaces);
const index = "packageIndex:**";
/** The facts about the available packages, and about the actions that a package manager would take. */
const offers = ["packageOffer:**", "packagePlan:**"];

/**
 * The implications of a change to the file at a path: if the file is a repository list, the package index is outdated.
 * `there` is false if the file was removed.
 */
export function impliedOfIndex(path: string, there: boolean): readonly Implied[] {
  return Object.entries(packagePlaces).flatMap(([manager, { lists }]) =>
    lists.some((list) => path.startsWith(`${list}/`) || (there && path === list)) ? [outdatedIndex(manager)] : [],
  );
}

/** Marks a manager's index as outdated, because a repository list has changed since the index was fetched. */
export function outdatedIndex(manager: string): Implied {
  return { of: index, where: { manager }, parts: { outdated: true } };
}

/**
 * Facts about packages that become unpredictable after a change at a path. `gone` means that the path and everything
 * below it was removed.
 */
export function packageFactsOf(path: string, gone: boolean): readonly FactPattern[] {
  const goes = (place: string): boolean => gone && (path === place || place.startsWith(`${path}/`));
  const decides = ({ index: folder, lists, rules }: PackagePlaces): boolean =>
    [folder, ...lists, ...rules].some((place) => goes(place) || isWithin(exactly(path), [place]));
  const isIndex = all.some(
    (place) => isWithin(exactly(path), [place.index]) || [place.index, ...place.lists].some(goes),
  );
  return [...(isIndex ? [index] : []), ...(all.some(decides) ? offers : [])];
}

/** Facts about packages that may depend on the paths that a pattern matches. */
export function packageFactsNear(path: FactPattern): readonly FactPattern[] {
  const holds = all.some((place) => isWithin(path, place.holds));
  const listed = all.some((place) => isWithin(path, [place.index, ...place.lists]));
  const set = all.some((place) => isWithin(path, [...place.rules, ...place.settings]));
  return [...(listed ? [index] : []), ...(listed || set ? offers : []), ...(holds ? ["package:**"] : [])];
}

/** True if a path pattern matches one of the places or something below it. */
function isWithin(pattern: FactPattern, places: readonly string[]): boolean {
  const path = literal(pattern);
  if (wildcardIn(pattern) < 0) return places.some((place) => path === place || path.startsWith(`${place}/`));
  const parts = pattern.split("/");
  return places.some((place) => {
    const steps = place.split("/");
    for (const [at, step] of steps.entries()) {
      const part = parts[at];
      if (part === undefined) return false;
      if (part.includes("**") && wildcardIn(part) >= 0) return true;
      if (part !== step && !namesFact([part], step)) return false;
    }
    return true;
  });
}
