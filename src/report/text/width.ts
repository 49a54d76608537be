import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";
import type stringWidth from "string-width";

let loaded: { readonly default: typeof stringWidth } | undefined;

/** Returns the number of terminal columns that a text takes; Chinese characters and emoji take two. Ignores colours. */
export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7E]*$/.test(plain)) return plain.length;
  // Loaded on first use: most texts are plain ASCII.
  loaded ??= createRequire(import.meta.url)("string-width") as { readonly default: typeof stringWidth };
  return loaded.default(plain);
}

/** Returns a text followed by blanks, so that it takes at least this many terminal columns. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
