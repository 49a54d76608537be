import { isRecord } from "../../core/facts/symbols.ts";
import { redact } from "../../core/secrets/redact.ts";
import { cutTo } from "./width.ts";

/** The longest value that is shown on one line, in terminal columns. */
const longest = 100;

/** Formats a value on one line: strings without quotes if unambiguous, symbols spelled out, everything else as JSON. */
export function showValue(value: unknown): string {
  if (typeof value === "symbol") return value.description === "furrow.absent" ? "absent" : "(known after apply)";
  if (value === undefined) return "absent";
  if (typeof value === "string")
    return cut(
      /^[\x21-\x7e\u00a1-\ud7ff\ue000-\uffff]+( [\x21-\x7e\u00a1-\ud7ff\ue000-\uffff]+)*$/.test(value) &&
        spellHidden(value) === value
        ? value
        : quote(value),
    );
  if (Array.isArray(value)) return cut(`[${value.map((part) => inner(part)).join(", ")}]`);
  if (isRecord(value)) {
    const parts = Object.entries(value).filter(([, part]) => part !== undefined);
    return cut(`{${parts.map(([key, part]) => `${key}: ${inner(part)}`).join(", ")}}`);
  }
  return JSON.stringify(value) ?? typeof value;
}

function inner(value: unknown): string {
  return typeof value === "string" ? quote(value) : showValue(value);
}

/** Quotes a string and escapes control characters and invalid UTF-8 bytes (lone surrogates in the string). */
function quote(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(/\\udc([89a-f][0-9a-f])/g, String.raw`\x$1`);
  return spellHidden(escaped.replaceAll(/[\u007f-\u009f]/g, (control) => `\\x${control.charCodeAt(0).toString(16)}`));
}

function cut(text: string): string {
  return cutTo(text, longest);
}

/**
 * Escapes invisible characters (Unicode's format characters and its two line separators): they can reverse or hide part
 * of a string, so a reader would see something other than the real text.
 */
function spellHidden(text: string): string {
  return text.replaceAll(
    /[\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Makes a line safe to print on a terminal: escapes line breaks, control characters, invisible characters and invalid
 * UTF-8 bytes. A name from a server that contains a line break could otherwise forge a line of the report.
 */
export function safeLine(text: string): string {
  return spellHidden(text.replaceAll("\n", String.raw`\n`)).replaceAll(
    /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/gu,
    (unit) => `\\x${(unit.charCodeAt(0) & 0xff).toString(16).padStart(2, "0")}`,
  );
}

/** How much of the common beginning of two long strings is shown before their first difference. */
const shared = 24;

/**
 * Cuts two long strings so that they begin a little before their first difference, because their beginnings alone would
 * look equal. Returns any other values unchanged. Secrets are hidden first: half a secret would not be recognized.
 */
export function fromDifference(from: unknown, to: unknown): readonly [unknown, unknown] {
  if (typeof from !== "string" || typeof to !== "string") return [from, to];
  const [old, now] = [redact(from), redact(to)];
  let at = 0;
  while (at < old.length && old[at] === now[at]) at += 1;
  if (at <= longest / 2 || old.length <= longest || now.length <= longest) return [from, to];
  const begin = (text: string): string => `…${text.slice(at - shared)}`;
  return [begin(old), begin(now)];
}
