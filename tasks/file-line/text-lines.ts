/** One line of a file: what it says, and how it ends. Only the last line of a file may end in nothing. */
export interface TextLine {
  readonly text: string;
  readonly end: "\n" | "\r\n" | "";
}

/** The lines of a file's content; none of an empty one. The inverse of {@link joinLines}. */
export function splitLines(content: string): TextLine[] {
  return [...content.matchAll(/([^\n]*?)(\r?\n)|([^\n]+)$/g)].map((found) => ({
    text: found[1] ?? found[3] ?? "",
    end: (found[2] ?? "") as TextLine["end"],
  }));
}

/** The content that these lines make. */
export function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text, end }) => text + end).join("");
}

/**
 * Puts `texts` in place of `count` lines from `at` on. New lines end as the file's first line does, and a last line
 * that ended in nothing leaves a last line that does, unless it is removed: then the others stay as they are.
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
  // An empty line is there only by its end.
  return unended && last !== undefined && last.text !== "" ? [...spliced.slice(0, -1), { ...last, end: "" }] : spliced;
}

/** Where a new line goes: after the last line that matches, before the first one that does, or at the file's end. */
export interface Anchor {
  readonly insertAfter?: string | undefined;
  readonly insertBefore?: string | undefined;
}

/** The index at which new lines go; the end where the anchor matches nothing. `BOF` and `EOF` are the file's ends. */
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
