import { decodeBytes, encodeText } from "../host/bytes.ts";
import { needles } from "./needles.ts";
import { knownSecrets } from "./secret.ts";

/**
 * The note that replaces an omitted part of a program's output. The text before it may end inside a secret, and the
 * text after it may begin inside one.
 */
const leftOut = /\n\[… (?:some|\d+) bytes left out …\]\n/g;
/** Minimum length in bytes. A shorter part of a secret reveals little, and would match ordinary text. */
const shortPart = 4;

/** The note with the number of bytes of a program's output that are not shown. */
export function leftOutNote(bytes: number | "some"): string {
  return `\n[… ${bytes} bytes left out …]\n`;
}

/**
 * Replaces the beginning of a secret before the note about omitted output, and the end of a secret after it; leaves
 * whole secrets unchanged. Pass the whole text, because a single line does not show that it was cut.
 */
export function redactCuts(text: string): string {
  const notes = text.match(leftOut);
  if (notes === null) return text;
  return text
    .split(leftOut)
    .map((part, at, { length }) => {
      const behind = at === 0 ? part : redactStart(part);
      return (at === length - 1 ? behind : redactEnd(behind)) + (notes[at] ?? "");
    })
    .join("");
}

/** Replaces the end of a secret at the start of text whose beginning was cut off. */
export function redactStart(text: string): string {
  const bytes = bytesOf(text);
  const start = bytes.slice(0, shortPart);
  const { length, name } = longest(
    bytes.length,
    (spelling) => spelling.includes(start),
    (spelling, count) => bytes.startsWith(spelling.slice(-count)),
  );
  return length === 0 ? text : `«secret ${name}»${textOf(bytes.slice(length))}`;
}

/** Replaces the beginning of a secret at the end of text whose end was cut off. */
export function redactEnd(text: string): string {
  const bytes = bytesOf(text);
  const end = bytes.slice(-shortPart);
  const { length, name } = longest(
    bytes.length,
    (spelling) => spelling.includes(end),
    (spelling, count) => bytes.endsWith(spelling.slice(0, count)),
  );
  return length === 0 ? text : `${textOf(bytes.slice(0, -length))}«secret ${name}»`;
}

/** One character per byte, because a cut may be in the middle of a character. */
function bytesOf(text: string): string {
  return Buffer.from(encodeText(text)).toString("latin1");
}

function textOf(bytes: string): string {
  return decodeBytes(Buffer.from(bytes, "latin1"));
}

/**
 * The longest part of any secret's spelling, of at most `most` bytes, for which `fits` returns true. The whole spelling
 * is tried as well: otherwise only the end of a value that repeats itself would be replaced. `may` rules out most
 * spellings quickly.
 */
function longest(
  most: number,
  may: (spelling: string) => boolean,
  fits: (spelling: string, count: number) => boolean,
): { readonly length: number; readonly name: string } {
  let best = { length: 0, name: "" };
  for (const { name, value } of knownSecrets()) {
    for (const spelling of needles(value).map(bytesOf).filter(may)) {
      for (let count = Math.min(spelling.length, most); count >= shortPart && count > best.length; count -= 1) {
        if (fits(spelling, count)) best = { length: count, name };
      }
    }
  }
  return best;
}
