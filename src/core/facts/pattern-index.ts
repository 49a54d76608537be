import { type Fact, factId, type FactPattern, literal, namesFact, wildcardIn } from "./fact.ts";

/** One addition to an index: its number and its value. */
interface Item<T> {
  readonly at: number;
  /**
   * The patterns to try: all if one of them excludes ids, otherwise only those with wildcards; exact ones are found by
   * id.
   */
  readonly tried: readonly FactPattern[];
  readonly excludes: boolean;
  readonly value: T;
}

/** Items found by one key. `isExact` means that the looked-up id itself is a pattern of each item. */
interface Bucket<T> {
  readonly items: readonly Item<T>[];
  readonly isExact: boolean;
}

/**
 * Values stored under patterns of fact ids. Finds values by id without trying every pattern: exact patterns are found
 * by the id itself, other patterns by the text before their first wildcard. Additions carry a number that never
 * decreases.
 */
export class PatternIndex<T> {
  readonly #exact = new Map<string, Item<T>[]>();
  readonly #byPrefix = new Map<string, Item<T>[]>();
  /** Lengths of the prefixes in use. */
  readonly #lengths = new Set<number>();

  /**
   * Adds a value under a list of patterns. A pattern that begins with `!` excludes ids that earlier patterns in the
   * list match.
   */
  add(at: number, patterns: readonly FactPattern[], value: T): void {
    const included = patterns.filter((pattern) => !pattern.startsWith("!"));
    const excludes = included.length < patterns.length;
    const tried = excludes ? patterns : patterns.filter((pattern) => prefixOf(pattern) !== undefined);
    const item = { at, tried, excludes, value };
    const buckets = new Set(included.map((one) => this.#bucketFor(one)));
    for (const bucket of buckets) bucket.push(item);
  }

  #bucketFor(pattern: FactPattern): Item<T>[] {
    const prefix = prefixOf(pattern);
    if (prefix === undefined) return bucketOf(this.#exact, literal(pattern));
    this.#lengths.add(prefix.length);
    return bucketOf(this.#byPrefix, prefix);
  }

  /**
   * True while the index is empty. Checked first, because a run that changes nothing looks up every fact in an empty
   * index.
   */
  get #isEmpty(): boolean {
    return this.#exact.size === 0 && this.#byPrefix.size === 0;
  }

  /**
   * The first value added after number `since` that is stored under a pattern matching the id and for which `accepts`
   * returns true.
   */
  first(id: string, since: number, accepts: (value: T) => boolean = () => true): T | undefined {
    if (this.#isEmpty) return undefined;
    let found: Item<T> | undefined;
    for (const { items, isExact } of this.#bucketsOf(id)) {
      for (let index = firstAfter(items, since); index < items.length; index += 1) {
        const item = items[index] as Item<T>;
        if (found !== undefined && item.at >= found.at) break;
        if (!accepts(item.value) || !matches(item, id, isExact)) continue;
        found = item;
        break;
      }
    }
    return found?.value;
  }

  /** All values added after number `since` whose patterns match the id, in the order they were added. */
  all(id: string, since: number): readonly T[] {
    if (this.#isEmpty) return [];
    const found = new Set<Item<T>>();
    for (const { items, isExact } of this.#bucketsOf(id)) {
      for (let index = firstAfter(items, since); index < items.length; index += 1) {
        const item = items[index] as Item<T>;
        if (matches(item, id, isExact)) found.add(item);
      }
    }
    return [...found].toSorted((a, b) => a.at - b.at).map(({ value }) => value);
  }

  /** True if a value added after number `since` is stored under patterns that match the fact. */
  namesThing(fact: Fact, since: number): boolean {
    return !this.#isEmpty && this.names(factId(fact), since);
  }

  /** True if a value added after number `since` is stored under patterns that match the id. */
  names(id: string, since: number): boolean {
    if (this.#isEmpty) return false;
    for (const { items, isExact } of this.#bucketsOf(id)) {
      for (let index = items.length - 1; index >= 0 && (items[index] as Item<T>).at > since; index -= 1) {
        if (matches(items[index] as Item<T>, id, isExact)) return true;
      }
    }
    return false;
  }

  clear(): void {
    this.#exact.clear();
    this.#byPrefix.clear();
    this.#lengths.clear();
  }

  *#bucketsOf(id: string): Generator<Bucket<T>, void> {
    const exact = this.#exact.get(id);
    if (exact) yield { items: exact, isExact: true };
    for (const length of this.#lengths) {
      const bucket = this.#byPrefix.get(id.slice(0, length));
      if (bucket) yield { items: bucket, isExact: false };
    }
  }
}

/** True if the patterns of an item match an id. An item may have thousands of patterns. */
function matches({ tried, excludes }: Item<unknown>, id: string, isExact: boolean): boolean {
  return (isExact && !excludes) || namesFact(tried, id);
}

/** The text before the first wildcard; undefined for a pattern without wildcards. */
function prefixOf(pattern: FactPattern): string | undefined {
  if (pattern === "everything") return "";
  const star = wildcardIn(pattern);
  return star < 0 ? undefined : literal(pattern.slice(0, star));
}

function bucketOf<T>(buckets: Map<string, Item<T>[]>, key: string): Item<T>[] {
  const known = buckets.get(key);
  if (known) return known;
  const made: Item<T>[] = [];
  buckets.set(key, made);
  return made;
}

/** The index of the first item whose number is above `since`. Items are sorted by number. */
function firstAfter(items: readonly Item<unknown>[], since: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Item<unknown>).at > since) high = middle;
    else low = middle + 1;
  }
  return low;
}
