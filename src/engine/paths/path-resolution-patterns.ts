import { exactly, type FactPattern, literal, wildcardIn } from "../../core/facts/fact.ts";
import { isKind, type Kind, kindOf } from "../../core/facts/kind.ts";
import { pathResolutionKind } from "../../core/facts/path-resolution.ts";

/**
 * Patterns of the path resolutions that may change when the named facts change: links, mounts, and directories that are
 * created or removed.
 */
export function resolutionsThrough(patterns: readonly FactPattern[]): FactPattern[] {
  return patterns.flatMap((pattern) => {
    const { sign, kind, key } = partsOf(pattern);
    if (pattern === "everything" || sign !== "" || key === undefined || !key.startsWith("/")) return [];
    const known: Partial<Kind> = isKind(kind) ? kindOf(kind) : {};
    if (known.linkTarget === undefined && known.reroutes === undefined) return [];
    return [`${pathResolutionKind}:${fixedPathOf(key)}`];
  });
}

/**
 * The place that a pattern for path resolutions names: empty for all places, undefined if the pattern is about
 * something else.
 */
export function placeOf(pattern: FactPattern): string | undefined {
  if (pattern === "everything" || pattern === "**") return "";
  return pattern.startsWith(`${pathResolutionKind}:`)
    ? literal(pattern.slice(pathResolutionKind.length + 1))
    : undefined;
}

/** A pattern's sign (`!` or nothing), its kind, and its key if it has one. */
export function partsOf(pattern: FactPattern): { readonly sign: string; readonly kind: string; readonly key?: string } {
  const sign = pattern.startsWith("!") ? "!" : "";
  const at = pattern.indexOf(":");
  return at < 0 ? { sign, kind: pattern } : { sign, kind: pattern.slice(sign.length, at), key: pattern.slice(at + 1) };
}

/**
 * The part of a pattern's key that is a path without wildcards: the whole key, or a directory. The result is still a
 * pattern.
 */
export function fixedPathOf(key: FactPattern): FactPattern {
  const star = wildcardIn(key);
  return star < 0 ? key : key.slice(0, key.lastIndexOf("/", star));
}

/**
 * The patterns that result if the path before the first wildcard is replaced with each of its other names. `follow`:
 * the path is a directory that contains what the pattern matches.
 */
export function renamedPatterns(
  pattern: FactPattern,
  names: (path: string, follow: boolean) => readonly string[],
): FactPattern[] {
  const { sign, kind, key } = partsOf(pattern);
  if (key === undefined || !key.startsWith("/")) return [];
  const base = fixedPathOf(key);
  const rest = key.slice(base.length);
  return names(literal(base), wildcardIn(key) >= 0).map((name) => `${sign}${kind}:${exactly(name)}${rest}`);
}
