import type { Paint } from "../text/colours.ts";

/** Colors a line of a diff: green if it was added, red if it was removed; context keeps its color. */
export function paintDiffLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.good(line);
  return line.startsWith("-") ? paint.bad(line) : line;
}
