/** One line of a file: its text and its line ending. Only the last line of a file may lack a line ending. */
export interface TextLine {
  readonly text: string;
  readonly end: "\n" | "\r\n" | "";
}

/** Splits a file's content into lines; empty content has no lines. This is the inverse of {@link joinLines}. */
export function splitLines(content: string): TextLine[] {
  return [...content.matchAll(/([^\n]*?)(\r?\n)|([^\n]+)$/g)].map((found) => ({
    text: found[1] ?? found[3] ?? "",
    end: (found[2] ?? "") as TextLine["end"],
  }));
}

/** Joins lines into the content of a file. */
export function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text, end }) => text + end).join("");
}

/**
 * Replaces `count` lines from index `at` with `texts`. New lines get the line ending of the file's first line. If the
 * last line had no line ending, the new last line has none either. If the old last line was removed, however, the other
 * lines stay as they are.
 */
export function spliceLines(
  lines: readonly TextLine[],
  at: number,
  count: number,
  texts: readonly string[],
): TextLine[] {
  const end = lines[0]?.end === "\r\n" ? "\r\n" : "\n";
  const removesLast = texts.length === 0 && at + count >= lines.length;
  const unended = lines.at(-1)?.end === "" && !removesLast;
  const whole = lines.map((line): TextLine => (line.end === "" ? { ...line, end } : line));
  const added = texts.map((text, index): TextLine => ({ text, end: whole[at + index]?.end ?? end }));
  const spliced = [...whole.slice(0, at), ...added, ...whole.slice(at + count)];
  const last = spliced.at(-1);
  // An empty last line exists only because of its line ending, so keep the line ending.
  return unended && last !== undefined && last.text !== "" ? [...spliced.slice(0, -1), { ...last, end: "" }] : spliced;
}

/** Where a new line is inserted: after the last match, before the first match, or at the end of the file. */
export interface Anchor {
  readonly insertAfter?: string | undefined;
  readonly insertBefore?: string | undefined;
}

/**
 * Returns the index at which to insert new lines; the end of the file if the anchor matches nothing. `BOF` and `EOF`
 * stand for the beginning and the end of the file.
 */
export function positionOf(lines: readonly TextLine[], { insertAfter, insertBefore }: Anchor): number {
  const matching = (source: string) => {
    const pattern = new RegExp(source);
    return ({ text }: TextLine): boolean => pattern.test(text);
  };
  if (insertBefore === "BOF") return 0;
  if (insertBefore !== undefined) {
    const first = lines.findIndex(matching(insertBefore));
    return first < 0 ? lines.length : first;
  }
  if (insertAfter === undefined || insertAfter === "EOF") return lines.length;
  const last = lines.findLastIndex(matching(insertAfter));
  return last < 0 ? lines.length : last + 1;
}
