import { FurrowError } from "../../src/authoring.ts";
import { type Anchor, joinLines, positionOf, spliceLines, splitLines } from "./text-lines.ts";

/** One line that a file must, or must not, have. */
export interface LineEdit extends Anchor {
  readonly match?: string | undefined;
}

/**
 * The content with the line in it once: as it is where the line is there already; in place of the last line that
 * matches; else where the anchor says. Done twice it is the same as done once.
 */
export function putLine(content: string, line: string, edit: LineEdit): string {
  refuseLineBreak(line);
  const lines = splitLines(content);
  const pattern = edit.match === undefined ? undefined : new RegExp(edit.match);
  const isThere = lines.some(({ text }) => text === line);
  // A line that its own pattern does not match would else replace one matching line more at every run.
  if (isThere && (pattern === undefined || !pattern.test(line))) return content;
  const last = pattern === undefined ? -1 : lines.findLastIndex(({ text }) => pattern.test(text));
  if (last >= 0) return lines[last]?.text === line ? content : joinLines(spliceLines(lines, last, 1, [line]));
  return joinLines(spliceLines(lines, positionOf(lines, edit), 0, [line]));
}

/** The content without the lines that are this one, or that match. */
export function dropLines(content: string, line: string | undefined, match: string | undefined): string {
  const pattern = match === undefined ? undefined : new RegExp(match);
  const lines = splitLines(content);
  const doomed = lines.flatMap(({ text }, index) => (text === line || pattern?.test(text) === true ? [index] : []));
  return joinLines(doomed.toReversed().reduce((rest, index) => spliceLines(rest, index, 1, []), lines));
}

/** A secret's value is only known here. */
function refuseLineBreak(line: string): void {
  if (!/[\r\n]/.test(line)) return;
  throw new FurrowError("E_REFUSED", {
    what: "a line to be put into a file has a line break in it",
    hint: "Cut the line break off the secret's value, or put several lines into a file with fileBlock",
  });
}
