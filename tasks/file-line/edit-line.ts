import { FurrowError } from "../../src/authoring.ts";
import { type Anchor, joinLines, positionOf, spliceLines, splitLines } from "./text-lines.ts";

/** A line that a file must, or must not, contain. */
export interface LineEdit extends Anchor {
  readonly match?: string | undefined;
}

/**
 * Makes sure that the content has the line: leaves the content unchanged if the line exists; otherwise replaces the
 * last line that matches; if no line matches, inserts the line at the anchor. Doing this twice gives the same result.
 */
export function putLine(content: string, line: string, edit: LineEdit): string {
  refuseLineBreak(line);
  const lines = splitLines(content);
  const pattern = edit.match === undefined ? undefined : new RegExp(edit.match);
  const isThere = lines.some(({ text }) => text === line);
  // Without this check, a line that does not match its own pattern would replace another matching line in every run.
  if (isThere && (pattern === undefined || !pattern.test(line))) return content;
  const last = pattern === undefined ? -1 : lines.findLastIndex(({ text }) => pattern.test(text));
  if (last >= 0) return lines[last]?.text === line ? content : joinLines(spliceLines(lines, last, 1, [line]));
  return joinLines(spliceLines(lines, positionOf(lines, edit), 0, [line]));
}

/** Removes the lines that equal this line or match the pattern. */
export function dropLines(content: string, line: string | undefined, match: string | undefined): string {
  const pattern = match === undefined ? undefined : new RegExp(match);
  return joinLines(splitLines(content).filter(({ text }) => text !== line && pattern?.test(text) !== true));
}

/** Refuses a line break. The schema cannot check this, because a secret's value is known only here. */
function refuseLineBreak(line: string): void {
  if (!/[\r\n]/.test(line)) return;
  throw new FurrowError("E_REFUSED", {
    what: "the line contains a line break",
    hint: "Remove the line break from the secret's value, or use fileBlock for several lines",
  });
}
