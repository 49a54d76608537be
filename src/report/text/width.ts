import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";
import type stringWidth from "string-width";

/**
 * Text whose characters each take one column: ASCII, Latin-1, and the dashes, quotes, ellipsis and arrows in furrow's
 * own texts. Without this list, every run of several hosts would load string-width, which takes 20 ms of CPU.
 */
export const oneColumnEach =
  /^[\x20-\x7E\xA1-\xAC\xAE-\xFF\u2013\u2014\u2018-\u201D\u2026\u2039\u203A\u2190-\u2193\u2212\u2500-\u257F]*$/;

let loaded: { readonly default: typeof stringWidth } | undefined;

/**
 * Returns the number of terminal columns that a string takes; Chinese characters and emoji take two. Ignores colors.
 */
export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (oneColumnEach.test(plain)) return plain.length;
  // Loaded on first use, because most strings contain only characters that take one column.
  loaded ??= createRequire(import.meta.url)("string-width") as { readonly default: typeof stringWidth };
  return loaded.default(plain);
}

let characters: Intl.Segmenter | undefined;

/** Returns a string; if it takes more than this many terminal columns, it is cut and ends with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (oneColumnEach.test(text)) return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
  characters ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let width = 0;
  let end = 0;
  for (const { segment, index } of characters.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return `${text.slice(0, end)}…`;
    if (width < columns) end = index + segment.length;
  }
  return text;
}

/** Pads a string with blanks to at least this many terminal columns. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
