/** The bind mounts that are known on one host: each mount point, and the path whose content is visible there. */
export class Mounts {
  readonly #sources = new Map<string, string>();
  /**
   * For each path looked up so far, the path without bind mounts; cleared when a mount changes. Cached, because all
   * paths in a directory share its mounts.
   */
  readonly #found = new Map<string, string>();

  /** The number of mount points. */
  get size(): number {
    return this.#sources.size;
  }

  /** All mount points, each with the path whose content is visible there. */
  entries(): Iterable<readonly [point: string, source: string]> {
    return this.#sources;
  }

  /** Records a mount. Returns true if the mount was unknown, or known with a different source. */
  set(point: string, source: string): boolean {
    if (this.#sources.get(point) === source) return false;
    this.#sources.set(point, source);
    this.#found.clear();
    return true;
  }

  /** Forgets the mount points that `matches` accepts. */
  forget(matches: (point: string) => boolean): void {
    for (const point of this.#sources.keys()) if (matches(point)) this.#sources.delete(point);
    this.#found.clear();
  }

  /** The same path without bind mounts: the deepest mount point on it is replaced with its source. */
  shownAt(path: string): string {
    if (this.#sources.size === 0) return path;
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    const slash = Math.max(path.lastIndexOf("/"), 0);
    const parent = slash > 0 ? this.shownAt(path.slice(0, slash)) : "";
    const shown = this.#sources.get(path) ?? `${parent === "/" ? "" : parent}${path.slice(slash)}`;
    this.#found.set(path, shown);
    return shown;
  }

  /** A real name, and the other names that mounts give to the same thing. */
  aliases(real: string): string[] {
    const names = [real];
    for (const [point, source] of this.#sources) {
      if (point !== source && (real === source || real.startsWith(source === "/" ? "/" : `${source}/`)))
        names.push(`${point}${real.slice(source === "/" ? 0 : source.length)}`);
    }
    return names;
  }
}
