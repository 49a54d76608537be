import { type Fact, type FactPattern, isControllerFact, namesFact, type Question } from "../../core/facts/fact.ts";
import { isKind, kindOf } from "../../core/facts/kind.ts";
import { absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import {
  type PathResolution,
  pathResolution,
  plainResolution,
  type Redirections,
  resolvePath,
  type Target,
} from "../../core/facts/path-resolution.ts";
import type { Lookup } from "./known-values.ts";
import { directoriesOf, namesTarget, pathsOf } from "./named-paths.ts";
import { placeOf, renamedPatterns } from "./path-resolution-patterns.ts";
import { Disturbances } from "./disturbances.ts";
import { Mounts } from "./mounts.ts";

/**
 * Tracks which names on one host refer to the same thing, as reported by the host or predicted in check mode. Links and
 * bind mounts are learned from the path resolution of each directory asked about; hard links are learned from inodes.
 * If the host has no links or mounts, each name is its own real name and nothing is looked up.
 */
export class PathNames {
  /** Check mode: the tasks that may change mounts and attributes of files. */
  readonly disturbances = new Disturbances();
  readonly #links = new Map<string, Target>();
  readonly #mounts = new Mounts();
  /** Directories whose path resolution is known, with the links and mounts on their paths. */
  readonly #resolutions = new Map<string, PathResolution>();
  /** Directories whose path resolution must be read again before any fact in them counts as known. */
  readonly #open = new Set<string>();
  /** For each real path, the directories whose paths go through it. */
  readonly #through = new Map<string, Set<string>>();
  /** Check mode: for each link, the task that changes it. */
  readonly #changedBy = new Map<string, string>();
  /** Files with several names: the fact ids by device and inode, and the reverse. */
  readonly #hardLinks = new Map<string, Set<string>>();
  readonly #inodes = new Map<string, string>();
  #version = 0;
  /**
   * Resolved real names by path, until a link or mount changes. Cached, because every fact of every task resolves its
   * paths.
   */
  readonly #found = { followed: new Map<string, string>(), own: new Map<string, string>() };
  readonly #redirections: Redirections = {
    linkAt: (place) => this.#links.get(place),
    mountedAt: (path) => this.#mounts.shownAt(path),
  };

  /** A copy of the names known so far, for a forecast. */
  copy(): PathNames {
    const copy = new PathNames();
    for (const [place, target] of this.#links) copy.#links.set(place, target);
    for (const [point, source] of this.#mounts.entries()) copy.#mounts.set(point, source);
    for (const directory of this.#open) copy.#open.add(directory);
    for (const [directory, value] of this.#resolutions) copy.#note(directory, value);
    for (const [id, inode] of this.#inodes) copy.sawInode(id, inode);
    return copy;
  }

  /** True if no links or mounts are known, so each name is treated as its own real name. */
  get isPlain(): boolean {
    return this.#links.size === 0 && this.#mounts.size === 0;
  }

  /** A number that increases each time a name is redirected. */
  get version(): number {
    return this.#version;
  }

  /** The real name of a path; the path itself if it cannot be resolved. */
  real(path: string, follow = false): string {
    if (this.isPlain) return path;
    const found = follow ? this.#found.followed : this.#found.own;
    const known = found.get(path);
    if (known !== undefined) return known;
    const real = resolvePath(path, follow, this.#redirections).real ?? path;
    found.set(path, real);
    return real;
  }

  /** Clears the cache, because a link or mount was created, removed or retargeted. */
  #findAgain(): void {
    this.#found.followed.clear();
    this.#found.own.clear();
  }

  /** The same question under the real names of its paths, so that two names of one thing give the same question. */
  fact<F extends Fact>(fact: F): F {
    if (this.isPlain || isControllerFact(fact)) return fact;
    const { renamed } = isKind(fact.kind) ? kindOf(fact.kind) : {};
    if (renamed === undefined) return fact;
    const key = renamed(fact.key, (path, follow) => this.real(path, follow));
    return key === fact.key ? fact : { ...fact, key };
  }

  /**
   * The question to send: as its task asks it, or under its real name if check mode predicts that a path will be
   * redirected.
   */
  asked<F extends Fact>(fact: F): F {
    // A slash at the end names the target of a link. The host is asked about the target under its real name, because
    // it cannot resolve such a name if the target is not a directory.
    const isTarget = !isControllerFact(fact) && namesTarget(fact);
    return this.#changedBy.size === 0 && !isTarget ? fact : this.fact(fact);
  }

  /** True if the path to a thing goes through the thing itself, which is a link. */
  goesThroughItself({ key }: Question): boolean {
    const { real = "", places } = resolvePath(key, false, this.#redirections);
    return this.#links.has(real) && places.indexOf(real) < places.lastIndexOf(real);
  }

  /** True if the path resolution of a directory is known. */
  knowsResolution(directory: string): boolean {
    return this.#resolutions.has(directory);
  }

  /**
   * The questions about the links and mounts on a fact's paths that must be sent along with the fact's own question.
   */
  resolutionQuestions(fact: Fact): Question[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    return directoriesOf(this.asked(fact))
      .filter((directory) => !this.#resolutions.has(directory))
      .map((directory) => pathResolution(directory));
  }

  /** For each path in the key of a fact, the last directory that the path goes through. */
  directoriesOf(fact: Fact): readonly string[] {
    return isControllerFact(fact) || !isKind(fact.kind) ? [] : directoriesOf(fact);
  }

  /** True if the path to the thing must be resolved again before the fact's value counts as known. */
  needsResolution(fact: Fact): boolean {
    if (this.#open.size === 0 || isControllerFact(fact) || !isKind(fact.kind)) return false;
    return directoriesOf(this.asked(fact)).some((directory) => this.#open.has(directory));
  }

  /**
   * Check mode: if it is unknown which thing a fact is about, returns the task that determines it; otherwise undefined.
   */
  retargetedBy(fact: Fact): string | undefined {
    if (this.#changedBy.size === 0 || isControllerFact(fact) || !isKind(fact.kind)) return undefined;
    for (const { path, follow } of pathsOf(fact)) {
      const { real, places } = resolvePath(path, follow, this.#redirections);
      const by = real === undefined ? this.#changedBy.get(places.at(-1) ?? "") : undefined;
      if (by !== undefined) return by;
    }
    return undefined;
  }

  /**
   * The known value of a fact, with one exception in check mode. If a task changes the link at the fact's own path,
   * `absent` becomes unknown, because `absent` is about the link's target, whereas the link itself exists at the path.
   * `absent` stays if the fact asks for the target.
   */
  unlessDangling(fact: Fact, known: Lookup | undefined): Lookup | undefined {
    if (this.#changedBy.size === 0 || known?.value !== absent || isControllerFact(fact)) return known;
    for (const { path, follow } of pathsOf(fact)) {
      const { real, places } = resolvePath(path, follow, this.#redirections);
      if (namesTarget(fact) || real === this.real(path)) continue;
      const by = places.map((place) => this.#changedBy.get(place)).find((task) => task !== undefined);
      if (by !== undefined) return { value: knownAfterApply, by };
    }
    return known;
  }

  /** The questions about the paths that a fact depends on, with the known links and mounts on these paths. */
  resolutionsOf(fact: Fact): { readonly question: Question; readonly value: PathResolution }[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    // Where a link leads also depends on the path of its target.
    const behind = namesTarget(fact) ? directoriesOf(this.asked(fact)) : [];
    return [...directoriesOf(fact), ...behind].flatMap((directory) => {
      const value = this.#resolutions.get(directory);
      return value === undefined ? [] : [{ question: pathResolution(directory), value }];
    });
  }

  /**
   * Records the links and mounts on the path to a directory. Returns true if names now resolve differently: then values
   * must be moved to the new real names.
   */
  learn(directory: string, value: unknown): boolean {
    const found = isRecord(value) ? (value as unknown as PathResolution) : plainResolution;
    this.#open.delete(directory);
    const before = this.#links.size + this.#mounts.size;
    let differs = false;
    for (const [point, source] of Object.entries(found.mounts)) differs = this.#mounts.set(point, source) || differs;
    for (const [at, target] of Object.entries(found.links)) {
      const place = this.#mounts.shownAt(at);
      if (this.#changedBy.has(place)) continue;
      differs ||= this.#links.get(place) !== target;
      this.#links.set(place, target);
    }
    const redirects = differs || this.#links.size + this.#mounts.size !== before;
    if (redirects) {
      this.#version += 1;
      this.#findAgain();
    }
    this.#note(directory, found);
    return redirects;
  }

  #note(directory: string, value: PathResolution): void {
    if (value.readOnly !== undefined || value.unlike !== undefined) this.disturbances.mayRemount = true;
    this.#resolutions.set(directory, value);
    for (const place of resolvePath(directory, true, this.#redirections).places) {
      const through = this.#through.get(place);
      if (through === undefined) this.#through.set(place, new Set([directory]));
      else through.add(directory);
    }
  }

  /** The directories whose path resolution a change to these patterns may alter; see {@link forget}. */
  through(patterns: readonly FactPattern[]): ReadonlySet<string> {
    const directories = new Set<string>();
    for (const pattern of patterns) {
      const place = placeOf(pattern);
      if (place === undefined) continue;
      const all = place === "" ? this.#resolutions.keys() : (this.#through.get(place) ?? []);
      for (const directory of all) directories.add(directory);
    }
    return directories;
  }

  /**
   * Forgets path resolutions, so that they are read again. Patterns: `everything`, or `pathResolution:PLACE` for all
   * paths through a place.
   */
  forget(patterns: readonly FactPattern[]): void {
    for (const directory of this.through(patterns)) {
      this.#resolutions.delete(directory);
      this.#open.add(directory);
    }
    for (const pattern of patterns) {
      const place = placeOf(pattern);
      if (place === undefined) continue;
      const isBelow = (path: string): boolean => place === "" || path === place || path.startsWith(`${place}/`);
      for (const at of this.#links.keys()) if (isBelow(at)) this.#links.delete(at);
      this.#mounts.forget(isBelow);
    }
    this.#findAgain();
  }

  /** Forgets everything; all paths must be resolved again. */
  clear(): void {
    for (const directory of this.#resolutions.keys()) this.#open.add(directory);
    this.#resolutions.clear();
    this.#through.clear();
    this.#links.clear();
    this.#mounts.forget(() => true);
    this.#hardLinks.clear();
    this.#inodes.clear();
    this.#findAgain();
  }

  /** Check mode: updates the known links, given that the task `by` sets the thing to the predicted value. */
  predict({ kind, key }: Question, value: unknown, by: string): void {
    const { linkTarget, linksBelow, renamed } = kindOf(kind);
    if (linkTarget) this.#predictLink(this.real(key), linkTarget(value), by);
    const links = value === knownAfterApply ? undefined : linksBelow?.(value);
    if (links === undefined) return;
    const root = renamed?.(key, (path, follow) => this.real(path, follow)) ?? key;
    for (const place of this.#links.keys()) {
      if (place.startsWith(`${root}/`) && !Object.hasOwn(links, place.slice(root.length + 1)))
        this.#predictLink(place, undefined, by);
    }
    for (const [name, target] of Object.entries(links)) this.#predictLink(`${root}/${name}`, target, by);
  }

  /**
   * Check mode: patterns of everything that a change to this fact may touch, if its current and future values are
   * unknown.
   */
  mayTouch(fact: Fact): readonly FactPattern[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    return this.patterns(kindOf(fact.kind).mayTouch?.(fact.key, knownAfterApply) ?? []);
  }

  /** Predicts a link at a real path; `target` undefined means that there is no link. */
  #predictLink(place: string, target: Target | undefined, by: string): void {
    if (this.#links.get(place) === target) return;
    if (target === undefined) this.#links.delete(place);
    else this.#links.set(place, target);
    this.#changedBy.set(place, by);
    this.#version += 1;
    this.#findAgain();
  }

  /**
   * Records a file's device and inode, which show whether it has several names. If `inode` is undefined, the file now
   * has only one name.
   */
  sawInode(id: string, inode: string | undefined): void {
    const before = this.#inodes.get(id);
    if (before === inode) return;
    if (before !== undefined) this.#hardLinks.get(before)?.delete(id);
    if (inode === undefined) {
      this.#inodes.delete(id);
      return;
    }
    this.#inodes.set(id, inode);
    this.#hardLinks.set(inode, (this.#hardLinks.get(inode) ?? new Set()).add(id));
  }

  /** Ids of the other names (hard links) of files matching the patterns. */
  hardLinksOf(patterns: readonly FactPattern[]): string[] {
    if (this.#inodes.size === 0) return [];
    return [...this.#inodes].flatMap(([id, inode]) =>
      namesFact(patterns, id) ? [...(this.#hardLinks.get(inode) ?? [])].filter((other) => other !== id) : [],
    );
  }

  /** True if files with several names are known. */
  get hasHardLinks(): boolean {
    return this.#inodes.size > 0;
  }

  /**
   * The patterns, extended with the real names of the things they match and with the names that bind mounts give to
   * those things.
   */
  patterns(patterns: readonly FactPattern[]): readonly FactPattern[] {
    if (this.isPlain) return patterns;
    const names = (path: string, follow: boolean): string[] => this.aliases(path === "" ? "" : this.real(path, follow));
    return [...new Set(patterns.flatMap((pattern) => [pattern, ...renamedPatterns(pattern, names)]))];
  }

  /** A real name, and the other names that mounts give to the same thing. */
  aliases(real: string): string[] {
    return this.#mounts.aliases(real);
  }
}
