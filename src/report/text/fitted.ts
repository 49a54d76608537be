import { widthOf } from "./width.ts";
import { wrapped } from "./wrapped.ts";

/**
 * Returns the line, or two lines if it does not fit on the terminal: the text in the last parentheses then moves to its
 * own line, so that the terminal does not break a name. Lines that are still too long are broken between words.
 */
export function fitted(line: string, columns: number | undefined, indent: string): readonly string[] {
  if (columns === undefined || widthOf(line) <= columns) return [line];
  const at = line.lastIndexOf(" (");
  if (at < 0) return [line];
  return [line.slice(0, at).trimEnd(), indent + line.slice(at + 1)].flatMap((part) => wrapped(part, columns, indent));
}
