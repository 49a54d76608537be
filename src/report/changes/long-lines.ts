import { redact } from "../../core/secrets/redact.ts";
import { count } from "../text/words.ts";

/** The longest line of a diff that is shown whole, in characters. */
const longestLine = 500;
/** How much of a cut line is shown, in characters. */
const shownPart = 400;
/** How much of the common text of two lines is shown before their first difference. */
const shared = 24;

/**
 * Cuts the long lines of a hunk of a diff, whose lines begin with a blank, `-` or `+`. If a removed and an added line
 * begin alike, both are shown starting a little before their first difference. Secrets are hidden first: a part of a
 * secret would not be recognized.
 */
export function cutLines(lines: readonly string[]): readonly string[] {
  if (lines.every((line) => line.length <= longestLine + 1)) return lines;
  return runsOf(lines).flatMap((run) => {
    const [removed, added] = ["-", "+"].map((sign) => run.filter((line) => line.startsWith(sign)).map(redact));
    let [atRemoved, atAdded] = [0, 0];
    return run.map((line) => {
      if (line.startsWith("-")) return cutLine(redact(line), partner(added, atRemoved++));
      if (line.startsWith("+")) return cutLine(redact(line), partner(removed, atAdded++));
      return cutLine(redact(line), undefined);
    });
  });
}

/**
 * The line that a line is compared with: the line at the same position on the other side, or the last line of that
 * side.
 */
function partner(lines: readonly string[] = [], at: number): string | undefined {
  return lines[Math.min(at, lines.length - 1)];
}

/** Splits a hunk into runs: changed lines that follow each other, or lines of context. */
function runsOf(lines: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && isChange(last[0] ?? "") === isChange(line)) last.push(line);
    else runs.push([line]);
  }
  return runs;
}

/** True for every line except context, including the note that a line has no final newline. */
function isChange(line: string): boolean {
  return !line.startsWith(" ");
}

function cutLine(line: string, other: string | undefined): string {
  if (line.length <= longestLine + 1) return line;
  const [sign, text] = [line.slice(0, 1), line.slice(1)];
  const from = start(text, other?.slice(1) ?? "");
  const to = edge(text, Math.min(text.length, from + shownPart));
  const before = from === 0 ? "" : `${count(from, "character")} …`;
  const left = text.length - to;
  const after = left === 0 ? "" : `… ${count(left, "more character")}; --json shows all`;
  return `${sign}${before}${text.slice(from, to)}${after}`;
}

/** Where the shown part of a line begins: at the beginning, if a difference from the other line is visible there. */
function start(text: string, other: string): number {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return at < shownPart ? 0 : edge(text, at - shared);
}

/** A position that is not in the middle of a character. */
function edge(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}
