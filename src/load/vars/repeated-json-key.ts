/** A key that occurs twice in one object of a JSON text. */
export interface RepeatedKey {
  readonly name: string;
  /** The line number. Line and column numbers start at 1. */
  readonly line: number;
  readonly column: number;
  /** The line of the key's first occurrence. */
  readonly before: number;
}

/**
 * Returns the first key that occurs twice in one object; undefined if none does. The text must be valid JSON.
 * `JSON.parse` keeps only the last value (ECMAScript, JSON.parse), and RFC 8259, section 4 calls the result
 * unpredictable. The time it takes is proportional to the length of the text.
 */
export function repeatedJsonKey(text: string): RepeatedKey | undefined {
  // One entry for each open object or list; only an object has keys.
  const open: (Map<string, number> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "{") open.push(new Map());
    else if (char === "[") open.push(undefined);
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      if (isKey(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        const keys = open.at(-1);
        const first = keys?.get(name);
        if (first !== undefined) return { name, ...placeOf(text, at), before: placeOf(text, first).line };
        keys?.set(name, at);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/**
 * The offset after the string that begins at `start`. A regular expression would overflow the stack on a long string.
 */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (isEscaped(text, end));
  return end + 1;
}

/** True if an odd number of backslashes precedes the offset. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

function isKey(text: string, end: number): boolean {
  const next = /\S/g;
  next.lastIndex = end;
  return next.exec(text)?.[0] === ":";
}

/** The key and its two places, as text for an error. */
export function repeatedFault({ name, line, column, before }: RepeatedKey): string {
  return `the key "${name}" is given twice (first in line ${before}) at line ${line}, column ${column}`;
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
