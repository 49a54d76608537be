import { commonSpellings, quotedSpellings, spellings } from "./spellings/encodings.ts";
import { unescaped } from "./escaped.ts";

/**
 * The lines of a multi-line secret that are shorter than this are not searched for: a line such as `}` or `true` would
 * match everywhere.
 */
const shortLine = 6;
/**
 * A multi-line secret that is longer than this, e.g. a configuration file that contains a password, is searched for
 * line by line.
 */
export const longValue = 8192;

/**
 * The results for values up to that length, cached because every new secret and every cut needs the results for all
 * known secrets.
 */
const made = new Map<string, readonly string[]>();

/** All strings that must be searched for in output to find one secret: the value and its lines, in every spelling. */
export function needles(value: string): readonly string[] {
  const before = made.get(value);
  if (before !== undefined) return before;
  const fresh = makeNeedles(value);
  if (value.length <= longValue) made.set(value, fresh);
  return fresh;
}

/** Without its escapes, a shorter text might be an ordinary word: `\\n\\n` becomes "nn". */
const shortestUnescaped = 4;

/**
 * The strings that must be searched for in unescaped output (see `unescaped`): there are only a few, because most
 * spellings that differ in their escapes are the same string once unescaped.
 */
export function unescapedNeedles(value: string): readonly string[] {
  const quoted = textsOf(value, linesOf(value)).flatMap(quotedSpellings);
  // JSON writes a tab as a backslash and a letter, even if a shell that quoted the value earlier kept the tab.
  const texts = quoted.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const found = texts.flatMap((text) => {
    const read = unescaped(text);
    return read !== "" && (read === text || read.length >= shortestUnescaped) ? [read] : [];
  });
  return [...new Set(found)];
}

function makeNeedles(value: string): string[] {
  const lines = linesOf(value);
  return textsOf(value, lines).flatMap(isSearchedByLine(value, lines) ? commonSpellings : spellings);
}

/** The value and its lines, and what each of these becomes when a shell splits it into words. */
function textsOf(value: string, lines: readonly string[]): string[] {
  // For a long value, search only for the encodings of its lines: a regular expression for the whole value would be too
  // large.
  if (isSearchedByLine(value, lines)) return [...new Set(lines)];
  const whole = [value, value.trimEnd(), ...(lines.length > 1 || value.includes("\n") ? lines : [])];
  return [...new Set([...whole, ...whole.map(splitByShell)])];
}

function linesOf(value: string): string[] {
  return value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortLine && !/^-----(BEGIN|END) .*-----$/.test(line));
}

function isSearchedByLine(value: string, lines: readonly string[]): boolean {
  return value.length > longValue && lines.length > 1;
}

/**
 * The output of `echo $VALUE`: the shell splits an unquoted value at whitespace, and echo joins the words with single
 * spaces.
 */
function splitByShell(value: string): string {
  return value.trim().replaceAll(/[ \t\n]+/g, " ");
}
