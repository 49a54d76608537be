import { widthOf } from "./width.ts";

/** A word, or several words in quotes. An apostrophe inside a word is not a quote. */
const words = /(?:"[^"]*"|`[^`]*`|(?<!\w)'[^']*'|\S)+/g;
/** Programs that take a subcommand or another command as their next word. */
const programs = /^(?:furrow|npm|npx|virsh|systemctl|kubectl|sudo)$/;

/**
 * Breaks a line of prose at spaces so that it fits on the terminal; the continuation lines begin with `indent`. Paths,
 * quoted words and commands stay whole, so that they can be copied, even if they are wider than the terminal.
 */
export function wrapped(line: string, columns: number | undefined, indent: string): readonly string[] {
  if (columns === undefined || widthOf(line) <= columns) return [line];
  const lines: string[] = [];
  let end = 0;
  let begin = 0;
  for (const { from, to } of unbreakable(line)) {
    const head = lines.length === 0 ? "" : indent;
    if (end > begin && widthOf(head + line.slice(begin, to)) > columns) {
      lines.push(head + line.slice(begin, end));
      begin = from;
    }
    end = to;
  }
  return [...lines, (lines.length === 0 ? "" : indent) + line.slice(begin, end)];
}

/**
 * Returns text next to a label: if the text does not fit on the terminal, its continuation lines begin below its first
 * word.
 */
export function inColumns(label: string, text: string, columns: number | undefined): readonly string[] {
  const indent = " ".repeat(widthOf(label));
  const [first = "", ...rest] = wrapped(text, columns === undefined ? undefined : columns - indent.length, "");
  return [label + first, ...rest.map((line) => indent + line)];
}

interface Piece {
  readonly from: number;
  to: number;
}

/** Returns the parts of a line that must not be broken. */
function unbreakable(line: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const seen: string[] = [];
  for (const { 0: word, index } of line.matchAll(words)) {
    const last = pieces.at(-1);
    if (last !== undefined && isSameCommand(seen, word)) last.to = index + word.length;
    else pieces.push({ from: index, to: index + word.length });
    seen.push(word);
  }
  return pieces;
}

/** True if the word is likely to belong to the same command as the words before it. */
function isSameCommand(before: readonly string[], word: string): boolean {
  const last = before.at(-1) ?? "";
  if (/[),.:;]$/.test(last)) return false;
  if (programs.test(last) || before.at(-2) === "npm") return true;
  return /^-./.test(last) || /^-.|^'|[/=@]|\w\.\w/.test(word);
}
