import { type Fact, type FactPattern, isControllerFact, namesFact, type Question } from "../../core/fact.ts";
import { isKind, kindOf } from "../../core/kind.ts";
import { absent, isRecord, knownAfterApply } from "../../core/symbols.ts";
import { type Detours, plainWay, resolvePath, type Target, type Way, way } from "../../core/way.ts";
import type { Lookup } from "./known-values.ts";
import { directoriesOf, pathsOf } from "./named-paths.ts";
import { partsOf, placeOf } from "./way-patterns.ts";

/**
 * The names of one host's things: which names lead to the same thing, as far as the host has told or check mode predicts.
 * Links and bind mounts are learnt from the way to the directory of each path asked; hard links by inode. Where
 * the host has none, every name is its own real name and nothing is looked up.
 */
export class Names {
  readonly #links = new Map<string, Target>();
  readonly #mounts = new Map<string, string>();
  /** Directories whose way is known, with what lies on it. */
  readonly #ways = new Map<string, Way>();
  /** Directories whose way must be read again before anything in them is believed. */
  readonly #open = new Set<string>();
  /** The directories whose ways go through a place. */
  readonly #through = new Map<string, Set<string>>();
  /** Check mode: the task that changes the link at a place. */
  readonly #changedBy = new Map<string, string>();
  /** Files of several names, by device and inode, and the other way round. */
  readonly #twins = new Map<string, Set<string>>();
  readonly #inodes = new Map<string, string>();
  #version = 0;
  /** Real names found since a link or a mount was last learnt, by path: every fact of every task asks for its own. */
  readonly #found = { followed: new Map<string, string>(), own: new Map<string, string>() };
  readonly #detours: Detours = {
    linkAt: (place) => this.#links.get(place),
    mountedAt: (path) => this.#mountedAt(path),
  };

  /** What is known so far, for a plan that is made ahead. */
  copy(): Names {
    const copy = new Names();
    for (const [place, target] of this.#links) copy.#links.set(place, target);
    for (const [point, source] of this.#mounts) copy.#mounts.set(point, source);
    for (const directory of this.#open) copy.#open.add(directory);
    for (const [directory, value] of this.#ways) copy.#note(directory, value);
    for (const [id, inode] of this.#inodes) copy.sawInode(id, inode);
    return copy;
  }

  /** True where every name is known to be its own real name, or nothing is known. */
  get isPlain(): boolean {
    return this.#links.size === 0 && this.#mounts.size === 0;
  }

  /** Another number each time a way leads elsewhere than was known before. */
  get version(): number {
    return this.#version;
  }

  /** The real name of a path; the path itself where it cannot be resolved. */
  real(path: string, follow = false): string {
    if (this.isPlain) return path;
    const found = follow ? this.#found.followed : this.#found.own;
    const known = found.get(path);
    if (known !== undefined) return known;
    const real = resolvePath(path, follow, this.#detours).real ?? path;
    found.set(path, real);
    return real;
  }

  /** A link or a mount came, went or leads elsewhere. */
  #findAgain(): void {
    this.#found.followed.clear();
    this.#found.own.clear();
  }

  /** The same question under the real names of its paths: two names of one thing give one question. */
  fact<F extends Fact>(fact: F): F {
    if (this.isPlain || isControllerFact(fact)) return fact;
    const { renamed } = isKind(fact.kind) ? kindOf(fact.kind) : {};
    if (renamed === undefined) return fact;
    const key = renamed(fact.key, (path, follow) => this.real(path, follow));
    return key === fact.key ? fact : { ...fact, key };
  }

  /** The question to send: as its task asks it, under its real name where check mode predicts another way to it. */
  asked<F extends Fact>(fact: F): F {
    return this.#changedBy.size === 0 ? fact : this.fact(fact);
  }

  /** True where the way to a directory is known. */
  knowsWay(directory: string): boolean {
    return this.#ways.has(directory);
  }

  /** The ways that must be asked along with a question. */
  waysFor(fact: Fact): Question[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    return directoriesOf(this.asked(fact))
      .filter((directory) => !this.#ways.has(directory))
      .map((directory) => way(directory));
  }

  /** The directories that the names of a fact go through last. */
  directoriesOf(fact: Fact): readonly string[] {
    return isControllerFact(fact) || !isKind(fact.kind) ? [] : directoriesOf(fact);
  }

  /** True where a way to the thing must be read again before what is known of it can be believed. */
  isOpen(fact: Fact): boolean {
    if (this.#open.size === 0 || isControllerFact(fact) || !isKind(fact.kind)) return false;
    return directoriesOf(this.asked(fact)).some((directory) => this.#open.has(directory));
  }

  /** Check mode: the task on which it depends what a fact is about, where that is not knowable. */
  undecidedBy(fact: Fact): string | undefined {
    if (this.#changedBy.size === 0 || isControllerFact(fact) || !isKind(fact.kind)) return undefined;
    for (const { path, follow } of pathsOf(fact)) {
      const { real, places } = resolvePath(path, follow, this.#detours);
      const by = real === undefined ? this.#changedBy.get(places.at(-1) ?? "") : undefined;
      if (by !== undefined) return by;
    }
    return undefined;
  }

  /**
   * What is known of a fact, but nobody can say in check mode that nothing is there where a task changes the link at the
   * fact's own name: that is about the end of the link, and at the name itself there is the link.
   */
  unlessDangling(fact: Fact, known: Lookup | undefined): Lookup | undefined {
    if (this.#changedBy.size === 0 || known?.value !== absent || isControllerFact(fact)) return known;
    for (const { path, follow } of pathsOf(fact)) {
      const { real, places } = resolvePath(path, follow, this.#detours);
      if (real === this.real(path)) continue;
      const by = places.map((place) => this.#changedBy.get(place)).find((task) => task !== undefined);
      if (by !== undefined) return { value: knownAfterApply, by };
    }
    return known;
  }

  /** The ways that a fact depends on, with what is known to lie on them. */
  waysOf(fact: Fact): { readonly question: Question; readonly value: Way }[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    return directoriesOf(fact).flatMap((directory) => {
      const value = this.#ways.get(directory);
      return value === undefined ? [] : [{ question: way(directory), value }];
    });
  }

  /** True once a way has led elsewhere than it says: what is known under other names must be looked through again. */
  learn(directory: string, value: unknown): boolean {
    const found = isRecord(value) ? (value as unknown as Way) : plainWay;
    this.#open.delete(directory);
    this.#findAgain();
    const before = this.#links.size + this.#mounts.size;
    let differs = false;
    for (const [point, source] of Object.entries(found.mounts)) {
      differs ||= this.#mounts.get(point) !== source;
      this.#mounts.set(point, source);
    }
    for (const [at, target] of Object.entries(found.links)) {
      const place = this.#mountedAt(at);
      if (this.#changedBy.has(place)) continue;
      differs ||= this.#links.get(place) !== target;
      this.#links.set(place, target);
    }
    this.#note(directory, found);
    const leadsElsewhere = differs || this.#links.size + this.#mounts.size !== before;
    if (leadsElsewhere) this.#version += 1;
    return leadsElsewhere;
  }

  #note(directory: string, value: Way): void {
    this.#ways.set(directory, value);
    for (const place of resolvePath(directory, true, this.#detours).places) {
      const through = this.#through.get(place);
      if (through === undefined) this.#through.set(place, new Set([directory]));
      else through.add(directory);
    }
  }

  /** The directories whose ways such a change may alter; see {@link forget}. */
  through(patterns: readonly FactPattern[]): ReadonlySet<string> {
    const directories = new Set<string>();
    for (const pattern of patterns) {
      const place = placeOf(pattern);
      if (place === undefined) continue;
      const all = place === "" ? this.#ways.keys() : (this.#through.get(place) ?? []);
      for (const directory of all) directories.add(directory);
    }
    return directories;
  }

  /** What is on these ways must be read again: `everything`, or `way:PLACE` for all ways that go through a place. */
  forget(patterns: readonly FactPattern[]): void {
    for (const directory of this.through(patterns)) {
      this.#ways.delete(directory);
      this.#open.add(directory);
    }
    for (const pattern of patterns) {
      const place = placeOf(pattern);
      if (place === undefined) continue;
      const isBelow = (path: string): boolean => place === "" || path === place || path.startsWith(`${place}/`);
      for (const at of this.#links.keys()) if (isBelow(at)) this.#links.delete(at);
      for (const point of this.#mounts.keys()) if (isBelow(point)) this.#mounts.delete(point);
    }
    this.#findAgain();
  }

  /** Nothing is known any more. */
  clear(): void {
    for (const directory of this.#ways.keys()) this.#open.add(directory);
    this.#ways.clear();
    this.#through.clear();
    this.#links.clear();
    this.#mounts.clear();
    this.#twins.clear();
    this.#inodes.clear();
    this.#findAgain();
  }

  /** Check mode: where names lead once `by` has made of a thing what it predicts. */
  predict({ kind, key }: Question, value: unknown, by: string): void {
    const { leads, linksBelow, renamed } = kindOf(kind);
    if (leads) this.#predictLink(this.real(key), leads(value), by);
    const links = value === knownAfterApply ? undefined : linksBelow?.(value);
    if (links === undefined) return;
    const root = renamed?.(key, (path, follow) => this.real(path, follow)) ?? key;
    for (const place of this.#links.keys()) {
      if (place.startsWith(`${root}/`) && !Object.hasOwn(links, place.slice(root.length + 1)))
        this.#predictLink(place, undefined, by);
    }
    for (const [name, target] of Object.entries(links)) this.#predictLink(`${root}/${name}`, target, by);
  }

  /** Check mode: patterns of all that a change of this may touch, where nobody knows what it is or will be. */
  mayTouch(fact: Fact): readonly FactPattern[] {
    if (isControllerFact(fact) || !isKind(fact.kind)) return [];
    return this.patterns(kindOf(fact.kind).mayTouch?.(fact.key, knownAfterApply) ?? []);
  }

  /** A link stands at a real path, or none (undefined). */
  #predictLink(place: string, target: Target | undefined, by: string): void {
    if (this.#links.get(place) === target) return;
    if (target === undefined) this.#links.delete(place);
    else this.#links.set(place, target);
    this.#changedBy.set(place, by);
    this.#version += 1;
    this.#findAgain();
  }

  /** A file has several names: device and inode tell which. Undefined: it is no longer, or never was, one of them. */
  sawInode(id: string, inode: string | undefined): void {
    const before = this.#inodes.get(id);
    if (before === inode) return;
    if (before !== undefined) this.#twins.get(before)?.delete(id);
    if (inode === undefined) {
      this.#inodes.delete(id);
      return;
    }
    this.#inodes.set(id, inode);
    this.#twins.set(inode, (this.#twins.get(inode) ?? new Set()).add(id));
  }

  /** Ids of the files that are the same as one that the patterns name, under other names. */
  twinsOf(patterns: readonly FactPattern[]): string[] {
    if (this.#inodes.size === 0) return [];
    return [...this.#inodes].flatMap(([id, inode]) =>
      namesFact(patterns, id) ? [...(this.#twins.get(inode) ?? [])].filter((twin) => twin !== id) : [],
    );
  }

  /** True where files of several names are known. */
  get hasTwins(): boolean {
    return this.#inodes.size > 0;
  }

  /** Patterns with what they name under real names, and under the other names that bind mounts give it. */
  patterns(patterns: readonly FactPattern[]): readonly FactPattern[] {
    if (this.isPlain) return patterns;
    return [...new Set(patterns.flatMap((pattern) => this.#names(pattern)))];
  }

  #names(pattern: FactPattern): FactPattern[] {
    const { sign, kind, key } = partsOf(pattern);
    if (key === undefined || !key.startsWith("/")) return [pattern];
    const star = key.indexOf("*");
    const base = star < 0 ? key : key.slice(0, key.lastIndexOf("/", star));
    const real = base === "" ? "" : this.real(base, star >= 0);
    return [pattern, ...this.aliases(real).map((name) => `${sign}${kind}:${name}${key.slice(base.length)}`)];
  }

  /** A real name with the other names that mounts give to the same thing. */
  aliases(real: string): string[] {
    const names = [real];
    for (const [point, source] of this.#mounts) {
      if (point !== source && (real === source || real.startsWith(source === "/" ? "/" : `${source}/`)))
        names.push(`${point}${real.slice(source === "/" ? 0 : source.length)}`);
    }
    return names;
  }

  #mountedAt(path: string): string {
    if (this.#mounts.size === 0) return path;
    for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const source = this.#mounts.get(at);
      if (source !== undefined) return `${source === "/" ? "" : source}${path.slice(at.length)}` || "/";
    }
    return path;
  }
}
