import { isRecord } from "../../core/facts/symbols.ts";

/** Longest value that is shown in one line. */
const longest = 100;

/** A value in one line: texts bare where that is clear, symbols spelled out, the rest as JSON. */
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

/** Bytes that are no UTF-8 are lone surrogates in a text; a terminal must not get control characters either. */
function quote(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(/\\udc([89a-f][0-9a-f])/g, String.raw`\x$1`);
  return spellHidden(escaped.replaceAll(/[\u007f-\u009f]/g, (control) => `\\x${control.charCodeAt(0).toString(16)}`));
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/**
 * Characters that nobody sees spelled out (Unicode's format characters and its two line breaks): they turn text round or
 * hide a part of it, and what is read is then not what is there.
 */
function spellHidden(text: string): string {
  return text.replaceAll(
    /[\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** A line of text made harmless for a terminal: control characters, hidden ones and bytes that are no UTF-8 are spelled out. */
export function safeLine(text: string): string {
  return spellHidden(text).replaceAll(
    /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/gu,
    (unit) => `\\x${(unit.charCodeAt(0) & 0xff).toString(16).padStart(2, "0")}`,
  );
}
