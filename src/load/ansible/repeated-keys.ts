import { type Document, isAlias, isMap, isScalar, LineCounter, visit, type YAMLMap } from "yaml";

/** A key that occurs twice in one mapping, or contains a NUL byte. */
export interface WrongKey {
  readonly reason: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;
}

/**
 * Returns the first key of a YAML document that occurs twice in one mapping, or that contains a NUL byte; undefined if
 * no key does. YAML 1.2 (section 3.2.1.3) requires unique keys; Ansible takes the last value and only warns. `<<` may
 * occur several times. The parser's own check would be slow, because it compares every key with every other key in its
 * mapping.
 */
export function wrongKey(document: Document, text: string): WrongKey | undefined {
  let found: { readonly reason: (line: (offset: number) => number) => string; readonly at: number } | undefined;
  visit(document, {
    Map(_key, map) {
      found = inMapping(map);
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  if (found === undefined) return undefined;
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  const { line, col } = lines.linePos(found.at);
  return { reason: found.reason((offset) => lines.linePos(offset).line), line, column: col };
}

function inMapping(
  map: YAMLMap,
): { readonly reason: (line: (offset: number) => number) => string; readonly at: number } | undefined {
  const seen = new Map<unknown, number>();
  for (const { key } of map.items) {
    if (isAlias(key) || !isScalar(key) || isMap(key)) continue;
    const at = key.range?.[0] ?? 0;
    const name = String(key.value);
    if (name.includes("\0")) return { reason: () => "a key contains a NUL byte", at };
    const before = seen.get(key.value);
    if (before !== undefined && name !== "<<") {
      return { reason: (line) => `the key "${name}" is given twice (first in line ${line(before)})`, at };
    }
    seen.set(key.value, at);
  }
  return undefined;
}
