/** A key that stands twice in one object of a JSON text. */
export interface RepeatedKey {
  readonly name: string;
  /** Starts at 1, as do the others. */
  readonly line: number;
  readonly column: number;
  /** The line in which the key stands first. */
  readonly before: number;
}

/**
 * Returns the first key that stands twice in one object; undefined if none does. The text must be valid JSON.
 * `JSON.parse` keeps only the last value (ECMAScript, JSON.parse), and RFC 8259, section 4 calls the result
 * unpredictable. Takes time in proportion to the length of the text.
 */
export function repeatedJsonKey(text: string): RepeatedKey | undefined {
  // One entry for each open object or list; only an object has keys.
  const open: (Map<string, number> | undefined)[] = [];
  for (const { 0: token, index } of text.matchAll(/[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) {
    if (token === "{") open.push(new Map());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const name = JSON.parse(token.replace(/\s*:$/, "")) as string;
      const keys = open.at(-1);
      const first = keys?.get(name);
      if (first !== undefined) return { name, ...placeOf(text, index), before: placeOf(text, first).line };
      keys?.set(name, index);
    }
  }
  return undefined;
}

/** The key and its two places, as words for an error. */
export function repeatedFault({ name, line, column, before }: RepeatedKey): string {
  return `the key "${name}" is given twice (first in line ${before}) at line ${line}, column ${column}`;
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
