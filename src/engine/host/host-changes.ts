import { exactly, type Fact, type FactPattern, isControllerFact, literal, wildcardIn } from "../../core/facts/fact.ts";
import { isKind, kindOf } from "../../core/facts/kind.ts";
import { shows } from "../../core/facts/shows.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import type { Lookup } from "../paths/known-values.ts";
import type { PathNames } from "../paths/path-names.ts";
import { partsOf } from "../paths/path-resolution-patterns.ts";

interface HostChange {
  readonly at: number;
  readonly patterns: readonly FactPattern[];
  readonly by: string;
  /** True if the patterns name each changed thing exactly: a folder among them does not include its contents. */
  readonly isExact: boolean;
}

/**
 * Check mode: everything that earlier tasks would change on a host, or may change, in order. Used to decide whether the
 * answer from a user's own command is still known: only the command's author knows what the command reads.
 */
export class HostChanges {
  readonly #changes: HostChange[] = [];
  readonly #names: PathNames;
  readonly #tick: () => number;

  /** `names`: the names of things, which change during the run. `tick` numbers all events on the host, in order. */
  constructor(names: PathNames, tick: () => number) {
    this.#names = names;
    this.#tick = tick;
  }

  /**
   * Records that task `by` would or may change the facts that match these patterns. Unless `isExact`, it may also
   * change the contents of the folders among them.
   */
  note(patterns: readonly FactPattern[], by: string, isExact = false): void {
    const positive = patterns.filter((pattern) => !pattern.startsWith("!"));
    if (positive.length > 0) this.#changes.push({ at: this.#tick(), patterns: positive, by, isExact });
  }

  /**
   * The last task since event number `since` whose change may concern the things that these patterns name (undefined:
   * any thing). If it is uncertain whether a change concerns them, the change counts.
   */
  lastBy(reads: readonly FactPattern[] | undefined, since = 0): string | undefined {
    if (this.#changes.length === 0) return undefined;
    const names = this.#names;
    const read = reads && names.patterns([...reads, ...reads.map((one) => behind(one, names))]);
    return this.#changes.findLast(
      ({ at, patterns, isExact }) =>
        at > since && (read === undefined || concern(names.patterns(patterns), read, isExact)),
    )?.by;
  }
}

/** The pattern for the target of a path that is a link; any other pattern unchanged. */
function behind(pattern: FactPattern, names: PathNames): FactPattern {
  const { kind, key } = partsOf(pattern);
  return key?.startsWith("/") === true && wildcardIn(key) < 0
    ? `${kind}:${exactly(names.real(literal(key), true))}`
    : pattern;
}

function concern(changed: readonly FactPattern[], read: readonly FactPattern[], isExact: boolean): boolean {
  const shown = changed.flatMap((one) => shows(one, "shownIn"));
  return read.some(
    (one) => changed.some((other) => mayMeet(other, one, isExact)) || shown.some((other) => mayMeet(other, one, true)),
  );
}

/**
 * True if a change to the things that match the first pattern may affect a command that reads the things that match the
 * second one. Compares only the text before the first wildcard, and paths without their kinds, because a mount or a
 * tree changes the files below it. Reading a folder counts as reading everything in it.
 */
function mayMeet(changed: FactPattern, read: FactPattern, isExact: boolean): boolean {
  const [one, other] = [fixedPart(changed), fixedPart(read)];
  if (one === undefined || other === undefined) return true;
  const arePaths = [one, other].every(isPath);
  if (!arePaths && one.kind !== other.kind) return false;
  return (
    one.key === other.key ||
    isAbove(other, one, arePaths) ||
    (isExact && !one.isOpen ? false : isAbove(one, other, arePaths))
  );
}

function isPath({ kind, key, isOpen }: FixedPart): boolean {
  return key.startsWith("/") || (isOpen && key === "" && isKind(kind) && kindOf(kind).renamed !== undefined);
}

function isAbove(upper: FixedPart, lower: FixedPart, arePaths: boolean): boolean {
  if (upper.isOpen) return lower.key.startsWith(upper.key);
  return arePaths && lower.key.startsWith(upper.key === "/" ? "/" : `${upper.key}/`);
}

interface FixedPart {
  readonly kind: string;
  readonly key: string;
  /** True if a wildcard follows. */
  readonly isOpen: boolean;
}

/** The text that a pattern matches before its first wildcard; undefined if that part does not name a kind. */
function fixedPart(pattern: FactPattern): FixedPart | undefined {
  const { kind, key } = partsOf(pattern);
  if (key === undefined || kind.includes("*")) return undefined;
  const star = wildcardIn(key);
  if (star >= 0) return { kind, key: literal(key.slice(0, star)), isOpen: true };
  return { kind, key: literal(key.length > 1 ? key.replace(/\/$/, "") : key), isOpen: false };
}

/**
 * True if a change cannot affect anything below a file or folder, because the path was absent before and does not
 * become a link.
 */
export function isNewAndEmpty(fact: Fact, before: Lookup | undefined, value: unknown): boolean {
  if (isControllerFact(fact) || value === knownAfterApply || !isKind(fact.kind)) return false;
  const { linkTarget } = kindOf(fact.kind);
  return linkTarget !== undefined && linkTarget(value) === undefined && before?.value === absent;
}
