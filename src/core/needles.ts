import { commonSpellings, spellings } from "./encodings.ts";

/** A line of a secret of many lines is replaced from this length on: `}` or `true` would blacken everything. */
const shortLine = 6;
/** A secret of many lines that is longer than this, such as a configuration file with one in it, is looked for by line. */
export const longValue = 8192;

/** What was made of shorter values: every new secret asks again for all that are known, and so does every cut. */
const made = new Map<string, readonly string[]>();

/** All texts that are looked for in an output because of one secret: the value and its lines, in every spelling. */
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
  // The encodings of each line are found inside those of the whole, which would be too large an expression.
  if (value.length > longValue && lines.length > 1) return [...new Set(lines)].flatMap(commonSpellings);
  const whole = [value, value.trimEnd(), ...(lines.length > 1 || value.includes("\n") ? lines : [])];
  return [...new Set([...whole, ...whole.map(splitByShell)])].flatMap(spellings);
}

/** What `echo $VALUE` makes of it: a shell splits an unquoted value at blanks and joins the words by one. */
function splitByShell(value: string): string {
  return value.trim().replaceAll(/[ \t\n]+/g, " ");
}
