import { commonSpellings, spellings } from "./encodings.ts";

/**
 * The minimum length of a line that is searched for in a multi-line secret: a shorter line such as `}` or `true` would
 * match everywhere.
 */
const shortLine = 6;
/**
 * A multi-line secret that is longer than this, e.g. a configuration file that contains a password, is searched for
 * line by line.
 */
export const longValue = 8192;

/** The results for shorter values, cached because every new secret and every cut needs those of all known secrets. */
const made = new Map<string, readonly string[]>();

/** All strings to search output for to find one secret: the value and its lines, in every spelling. */
export function needles(value: string): readonly string[] {
  const before = made.get(value);
  if (before !== undefined) return before;
  const fresh = makeNeedles(value);
  if (value.length <= longValue) made.set(value, fresh);
  return fresh;
}

function makeNeedles(value: string): string[] {
  const lines = value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortLine && !/^-----(BEGIN|END) .*-----$/.test(line));
  // For a long value, search only for the encodings of its lines: a regular expression for the whole value would be too
  // large.
  if (value.length > longValue && lines.length > 1) return [...new Set(lines)].flatMap(commonSpellings);
  const whole = [value, value.trimEnd(), ...(lines.length > 1 || value.includes("\n") ? lines : [])];
  return [...new Set([...whole, ...whole.map(splitByShell)])].flatMap(spellings);
}

/**
 * The output of `echo $VALUE`: the shell splits an unquoted value at whitespace, and echo joins the words with single
 * spaces.
 */
function splitByShell(value: string): string {
  return value.trim().replaceAll(/[ \t\n]+/g, " ");
}
